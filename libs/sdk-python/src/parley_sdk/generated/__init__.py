"""Made from apps/*/openapi.json by `npm run docs`."""
