FROM node:24-slim AS build
WORKDIR /build
COPY . .
# Installs only the packages that build the dashboard and the CLI, not those that test them. Fails if a
# component, such as the dashboard, cannot be built.
RUN npm ci --ignore-scripts --workspace packages/cli --workspace packages/dashboard --workspace packages/pack \
  && npm run pack -- --only stowage
WORKDIR /app
# With the lock file next to it, npm installs the locked versions of the CLI's dependencies.
RUN cp /build/package-lock.json /build/.npmrc . \
  && npm install --omit=dev --ignore-scripts /build/dist-packages/stowage-[0-9]*.tgz

FROM node:24-slim
WORKDIR /app
# The files belong to root: the service cannot change its own code. It only writes to /data.
COPY --from=build /app /app
RUN install --directory --owner=node --group=node /data
USER node
ENV STOWAGE_HOST=0.0.0.0 STOWAGE_DATA=/data
VOLUME /data
# The service, and the disk storage, which receives parts.
EXPOSE 4000 4001
HEALTHCHECK --interval=10s --timeout=3s --start-period=10m \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.STOWAGE_PORT || 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "node_modules/stowage/dist/stowage.js"]
CMD ["serve"]
