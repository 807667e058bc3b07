// `npm start`: a whole Parley of this checkout. `nx serve voice-api`: that service alone.
import { runCommand } from '../run-command.ts';
import { start } from '../start.ts';

await runCommand((context) => start({ ...context, operatorProgram: 'npm run parley --' }));
