#!/bin/sh
# Makes the secrets that compose.yaml mounts, once; what is there stays. Needs openssl.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
[ -e secrets/data-key ] || echo "k1:$(openssl rand -base64 32)" > secrets/data-key
[ -e secrets/queue-key ] || echo "k1:$(openssl rand -base64 32)" > secrets/queue-key
# The containers run as user 65532 and see the files with their own mode; on this machine the folder keeps others out.
chmod 0644 secrets/*
chmod 0700 secrets
echo "docker/secrets is ready. Whoever has these keys can read what Parley seals."
