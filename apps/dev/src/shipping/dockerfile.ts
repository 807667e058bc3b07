// What docker/Dockerfile says of its stages, and what its .dockerignore lets into a build.
import dockerignore from '@balena/dockerignore';
import { DockerfileParser, From, type Instruction, type PropertyInstruction } from 'dockerfile-ast';

export interface Stage {
  /** What it starts from: an image, or an earlier stage. */
  readonly from: string | null;
  readonly as: string | null;
  readonly instructions: readonly Instruction[];
}

/** Stages in order. ARG before the first FROM is not known here. */
export function parseDockerfile(text: string): Stage[] {
  const instructions = DockerfileParser.parse(text).getInstructions();
  return instructions.flatMap((from, index) => {
    if (!(from instanceof From)) return [];
    const rest = instructions.slice(index + 1);
    const end = rest.findIndex((instruction) => instruction instanceof From);
    return {
      from: from.getImage(),
      as: from.getBuildStage(),
      instructions: end === -1 ? rest : rest.slice(0, end),
    };
  });
}

/** What stands behind every instruction of this name, flags and all, in order. */
export function instructionsOf({ instructions }: Stage, name: string): string[] {
  return instructions
    .filter((instruction) => instruction.getKeyword() === name)
    .map((instruction) => instruction.getTextContent().slice(name.length).trim());
}

/** The last of its kind holds; JSON form only, which needs no shell: `["node", "main.mjs"]`. */
export function commandOf(stage: Stage, name: 'ENTRYPOINT' | 'CMD' | 'HEALTHCHECK'): string[] {
  const json = /\[.*\]$/.exec(instructionsOf(stage, name).at(-1) ?? '')?.[0];
  if (json === undefined) throw new Error(`${name} is not written as a list`);
  return JSON.parse(json) as string[];
}

/** `ENV A=1 B=$APP` with the build arguments filled in. */
export function environmentOf(stage: Stage, args: Readonly<Record<string, string>>): Record<string, string> {
  const properties = stage.instructions
    .filter((instruction) => instruction.getKeyword() === 'ENV')
    .flatMap((instruction) => (instruction as PropertyInstruction).getProperties());
  const fillIn = (text: string) => text.replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => args[name] ?? '');
  return Object.fromEntries(
    properties.map((property) => [property.getName(), fillIn(property.getValue() ?? '')]),
  );
}

export function contextFilter(ignoreText: string): (path: string) => boolean {
  return dockerignore.default().add(ignoreText).createFilter();
}
