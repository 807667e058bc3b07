#!/bin/sh
# Makes the secrets that compose.yaml mounts, once; what is there stays. Needs openssl.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
key() { echo "k1:$(openssl rand -base64 32)"; }
[ -e secrets/data-key ] || key > secrets/data-key
[ -e secrets/queue-key ] || key > secrets/queue-key
[ -e secrets/console-key ] || key > secrets/console-key

# A key for every two services that exchange messages, in the files of these two alone.
if ! [ -e secrets/message-keys-voice-api ]; then
  builder=$(key) notifications=$(key) alerts=$(key)
  echo "voice-api=$builder notifications=$alerts" > secrets/message-keys-flow-builder
  echo "flow-builder=$builder notifications=$notifications" > secrets/message-keys-voice-api
  echo "voice-api=$notifications flow-builder=$alerts" > secrets/message-keys-notifications
fi

# A user of Redis for each service, and one for you; those that are there keep their passwords. One server needs no users for replicas
# and sentinels.
users='flow-builder voice-api notifications media-runtime console operator'
touch secrets/redis-users.acl
for user in $users; do
  if ! grep -q "^user $user " secrets/redis-users.acl; then
    password=$(openssl rand -hex 24)
    sum=$(printf %s "$password" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
    echo "redis://$user:$password@redis:6379" > "secrets/queue-url-$user"
    grep "^user $user " redis-users.acl | sed "s/<sha256 of $user>/$sum/" >> secrets/redis-users.acl
  fi
done
# Users without a password are always those of this release.
{ grep -v '<sha256' redis-users.acl; grep '#[0-9a-f]' secrets/redis-users.acl; } > secrets/redis-users.acl.new
mv secrets/redis-users.acl.new secrets/redis-users.acl

# The containers run as user 65532 and see the files with their own mode; on this machine the folder keeps others out.
chmod 0644 secrets/*
chmod 0700 secrets
echo "docker/secrets is ready. Whoever has these keys can read what Parley seals."
