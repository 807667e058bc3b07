#!/bin/sh
# Prints the Secrets of the dev overlay with new random values: sh k8s/overlays/dev/make-secrets.sh | kubectl apply -f -
# Once: a second run makes keys that open nothing of what the first ones sealed. Needs openssl.
set -eu
password=$(openssl rand -hex 16)
queue_key="k1:$(openssl rand -base64 32)"

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
  queue-url: redis://redis.parley-data.svc:6379
  data-key: k1:$(openssl rand -base64 32)
  queue-key: $queue_key
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
