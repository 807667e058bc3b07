// Reads custom resources as a JSON array, and prints what their schemas refuse as one. The model of
// each is in its member `model`, a module; `resource` is the resource.
import { text } from 'node:stream/consumers';

const problems = [];
for (const { model, resource } of JSON.parse(await text(process.stdin))) {
  const models = await import(model);
  try {
    new models[resource.kind](resource).validate();
  } catch (error) {
    problems.push({ resource, message: error.message });
  }
}
process.stdout.write(JSON.stringify(problems));
