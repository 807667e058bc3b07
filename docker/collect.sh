#!/bin/sh
# What goes into the image of one service, or of the console: its bundle, the operator's program with the migrations of this service alone, the
# health check and the licences of what is bundled. Usage: sh docker/collect.sh <app> <folder>
set -eu
app=$1
out=$2

rm -rf "$out"
mkdir -p "$out"
cp -R "dist/apps/$app" "$out/service"
cp -R dist/apps/cli "$out/cli"
node docker/third-party-licences.mjs "dist/apps/$app" dist/apps/cli > "$out/THIRD-PARTY-LICENCES.txt"
for service in "$out"/cli/prisma/*; do
  [ "$(basename "$service")" = "$app" ] || rm -R "$service"
done
# Bundles are not minified, so stacks stay readable. Reading a map of 18 MB at the first error would cost more memory
# than the service has to spare; the release keeps the maps (.github/workflows/release.yml).
find "$out" -name '*.map' -delete
# dist holds chunks of earlier bundles too, for services that still run from it.
for bundle in "$out"/service "$out"/cli; do
  [ -d "$bundle/chunks" ] || continue
  for chunk in "$bundle"/chunks/*; do
    grep -qxF "$(basename "$chunk")" "$bundle/chunks.txt" || rm "$chunk"
  done
  rm "$bundle/chunks.txt"
done
rm "$out"/*/*made-from.json
cp docker/health.mjs LICENSE "$out/"
