// The tools by which an assistant works with Parley, whatever brings its messages. See README.md.
export { createMcpServer } from './server.ts';
export { servicesAt, type Addresses, type Services } from './services.ts';
