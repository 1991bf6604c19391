FROM node:24-slim AS build
WORKDIR /app
COPY . .
# What builds is not what runs: it stays behind.
RUN npm ci --ignore-scripts && npm run build --if-present && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
WORKDIR /app
COPY --from=build --chown=node:node /app /app
RUN install --directory --owner=node --group=node /data
USER node
# Compiles ahead, so that the first start is like all others; the result is the user's own.
RUN node packages/cli/bin/warm-up.js
ENV STOWAGE_HOST=0.0.0.0 STOWAGE_DATA=/data
VOLUME /data
# The service, and where the disk storage takes parts.
EXPOSE 4000 4001
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.STOWAGE_PORT || 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/bin/stowage.js"]
CMD ["serve"]
