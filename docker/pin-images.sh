#!/bin/sh
# Writes the digests of the images that are not ours behind their tags, as the registry says: sh docker/pin-images.sh, then commit. A tag can
# be moved, a digest cannot. With --check it asks nobody and fails where a digest is missing: a release is built from pinned images only.
# Dependabot moves tag and digest together.
set -eu
cd "$(dirname "$0")/.."
files='docker/Dockerfile docker/compose.yaml k8s/overlays/dev/servers.yaml'
images=$(sed -nE -e 's/^FROM ([^ ]+).*/\1/p' -e 's/^ *image: ((postgres|redis):[^ ]+).*/\1/p' $files | sort -u)
missing=0
for image in $images; do
  if [ "${1:-}" = --check ]; then
    expr "$image" : '.*@sha256:[0-9a-f]\{64\}$' > /dev/null || { echo "$image has no digest: run docker/pin-images.sh" >&2; missing=1; }
  else
    tag=${image%@*}
    digest=$(docker buildx imagetools inspect "$tag" --format '{{.Manifest.Digest}}')
    for file in $files; do
      sed "s#$image\( .*\)\{0,1\}\$#$tag@$digest\1#" "$file" > "$file.new"
      cat "$file.new" > "$file"
      rm "$file.new"
    done
    echo "$tag@$digest"
  fi
done
exit $missing
