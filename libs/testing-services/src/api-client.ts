// Requests with one credential to a running service.
import supertest from 'supertest';

export type ApiClient = ReturnType<typeof apiClient>;

export function apiClient(url: string, credential: string) {
  const api = supertest(url);
  const authorized = (test: supertest.Test) => test.set('authorization', `Bearer ${credential}`);
  return {
    get: (path: string) => authorized(api.get(path)),
    post: (path: string, body?: object) => authorized(api.post(path)).send(body),
    put: (path: string, body?: object) => authorized(api.put(path)).send(body),
    patch: (path: string, body?: object) => authorized(api.patch(path)).send(body),
    delete: (path: string) => authorized(api.delete(path)),
  };
}
