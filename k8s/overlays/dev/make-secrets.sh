#!/bin/sh
# Prints the Secrets of the dev overlay with new random values: sh k8s/overlays/dev/make-secrets.sh | kubectl apply -f -
# Once: a second run makes keys that open nothing of what the first ones sealed. Needs openssl.
set -eu
key() { echo "k1:$(openssl rand -base64 32)"; }
password=$(openssl rand -hex 16)
queue_key=$(key)

# A key for every two services that exchange messages, told to these two alone.
builder=$(key) notifications=$(key) alerts=$(key)
message_keys() {
  case $1 in
    flow-builder) echo "voice-api=$builder notifications=$alerts" ;;
    voice-api) echo "flow-builder=$builder notifications=$notifications" ;;
    notifications) echo "voice-api=$notifications flow-builder=$alerts" ;;
  esac
}

# A user of Redis for each service. Of a password only its sum is in the file; what it was made of stays in this shell.
users='flow-builder voice-api notifications media-runtime console operator'
seed=$(openssl rand -hex 32)
redis_password() { printf %s "$seed $1" | openssl dgst -sha256 -r | cut -d ' ' -f 1; }
redis_users() {
  edits=
  for user in $users; do
    sum=$(printf %s "$(redis_password "$user")" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
    edits="$edits;s/<sha256 of $user>/$sum/"
  done
  # One server needs no users for replicas and sentinels, which are left without a sum.
  sed "$edits;/<sha256/d" "$(dirname "$0")/../../../docker/redis-users.acl"
}

cat <<END
apiVersion: v1
kind: Namespace
metadata:
  name: parley-data
---
apiVersion: v1
kind: Secret
metadata:
  name: postgres
  namespace: parley-data
stringData:
  password: $password
---
apiVersion: v1
kind: Secret
metadata:
  name: redis
  namespace: parley-data
stringData:
  operator-password: $(redis_password operator)
  media-runtime-password: $(redis_password media-runtime)
  users.acl: |
$(redis_users | sed 's/^/    /')
END
for service in flow-builder voice-api notifications; do
  database=$(echo "$service" | tr - _)
  url="postgres://parley:$password@postgres.parley-data.svc:5432/$database"
  cat <<END
---
apiVersion: v1
kind: Namespace
metadata:
  name: parley-$service
---
apiVersion: v1
kind: Secret
metadata:
  name: credentials
  namespace: parley-$service
stringData:
  database-url: $url
  database-direct-url: $url
  queue-url: redis://$service:$(redis_password "$service")@redis.parley-data.svc:6379
  data-key: $(key)
  queue-key: $queue_key
  message-keys: $(message_keys "$service")
---
apiVersion: v1
kind: Secret
metadata:
  name: operator
  namespace: parley-$service
stringData:
  operator-password: $(openssl rand -hex 16)
  readonly-password: $(openssl rand -hex 16)
END
done
cat <<END
---
apiVersion: v1
kind: Namespace
metadata:
  name: parley-console
---
apiVersion: v1
kind: Secret
metadata:
  name: credentials
  namespace: parley-console
stringData:
  console-key: $(key)
  redis-url: redis://console:$(redis_password console)@redis.parley-data.svc:6379
END
