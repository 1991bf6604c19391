#!/bin/sh
# Uploads a file: upload.sh FILE. Prints the ID of the asset.
set -eu
FILE=$1
API=${STOWAGE_URL:-http://127.0.0.1:4000}/api/v1
SCRATCH=$(mktemp -d)
trap 'rm -r "$SCRATCH"' EXIT

call() { # path, JSON
  curl -sS --fail-with-body --retry 3 "$API$1" -d "$2" -H 'Content-Type: application/json' \
    ${STOWAGE_API_KEY:+-H "Authorization: Bearer $STOWAGE_API_KEY"}
}

# 1. Send the file's metadata. The response has one signed URL per part.
NAME=$(basename "$FILE")
SIZE=$(wc -c < "$FILE" | tr -d ' ')
call /assets/signed "$(jq -n --arg name "$NAME" --argjson size "$SIZE" '$ARGS.named')" \
  > "$SCRATCH/session.json"

# 2. Send each part, in any order. A URL accepts exactly the bytes from start to end.
jq -r '.urls[] | "\(.start) \(.end) \(.url)"' "$SCRATCH/session.json" |
  while read -r start end url; do
    tail -c +$((start + 1)) "$FILE" | head -c $((end - start)) > "$SCRATCH/part"
    curl -sS --fail-with-body --retry 5 -X PUT -H 'Content-Type:' --data-binary "@$SCRATCH/part" "$url"
  done

# 3. Complete the upload. The service checks with the storage that all parts have arrived.
ID=$(jq -r .id "$SCRATCH/session.json")
call "/assets/$ID/uploaded" "$(jq '{upload_id}' "$SCRATCH/session.json")" | jq -r .data.id
