/** The server for test databases: TEST_POSTGRES_URL. */
export function testPostgresUrl(): string {
  return required('TEST_POSTGRES_URL', 'postgresql://postgres@127.0.0.1:5432/postgres');
}

/** The Redis of the test run: TEST_REDIS_URL. */
export function testRedisUrl(): string {
  return required('TEST_REDIS_URL', 'redis://127.0.0.1:6379');
}

function required(name: 'TEST_POSTGRES_URL' | 'TEST_REDIS_URL', example: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(
      `${name} is not set, and this test needs a real server. \`npm test -- <pattern>\` starts throw-away ones by itself; ` +
        `or name a server that may be filled with test data: ${name}=${example}`,
    );
  }
  return value;
}
