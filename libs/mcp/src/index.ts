// The tools with which an assistant works with Parley, independent of the transport. See README.md.
export { createMcpServer } from './server.ts';
export { createServices, type Addresses } from './services.ts';
