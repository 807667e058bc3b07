// Requests to a service under test with one credential. Called by test/service.ts of each app.
import supertest from 'supertest';

export type ApiClient = ReturnType<typeof apiClient>;

export function apiClient(app: Parameters<typeof supertest>[0], credential: string) {
  const authorized = (test: supertest.Test) => test.set('authorization', `Bearer ${credential}`);
  return {
    get: (path: string) => authorized(supertest(app).get(path)),
    post: (path: string, body?: object) => authorized(supertest(app).post(path)).send(body),
    put: (path: string, body?: object) => authorized(supertest(app).put(path)).send(body),
    patch: (path: string, body?: object) => authorized(supertest(app).patch(path)).send(body),
    delete: (path: string) => authorized(supertest(app).delete(path)),
  };
}
