// Lints texts as if they stood at given paths, with the rules of the house. A process of its own:
// [{path, text}] on standard input, [[{ruleId, message}]] on standard output.
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';

const planted = JSON.parse(await text(process.stdin));
const eslint = new ESLint();
const results = [];
for (const { path, text: source } of planted) {
  const [result] = await eslint.lintText(source, { filePath: path });
  results.push(result.messages.map(({ ruleId, message }) => ({ ruleId, message })));
}
process.stdout.write(JSON.stringify(results));
