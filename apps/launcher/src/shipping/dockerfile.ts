// Reads docker/Dockerfile as far as it goes: stages, their instructions, and what the last one says of the image. Called by
// build-image.ts and by tests.

/** One instruction, as written: `RUN`, and all that follows. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  /** What it starts from: an image, or an earlier stage. */
  readonly from: string;
  readonly as: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Stages in order. Comments and continued lines are resolved; ARG before the first FROM is not known here. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n');
  const stages: { from: string; as: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^\s*(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [, from = '', as] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? [];
      stages.push({ from, as, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`the Dockerfile says ${name} before FROM`);
      stage.instructions.push({ name, text: rest.trim() });
    }
  }
  return stages;
}

/** Everything of this name, in order. */
export function instructionsOf({ instructions }: Stage, name: string): string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

/** The last of its kind holds; JSON form only, which needs no shell: `["node", "main.mjs"]`. */
export function commandOf(stage: Stage, name: 'ENTRYPOINT' | 'CMD' | 'HEALTHCHECK'): string[] {
  const text = instructionsOf(stage, name).at(-1) ?? '';
  const json = /\[.*\]$/.exec(text)?.[0];
  if (json === undefined) throw new Error(`${name} is not written as a list`);
  return JSON.parse(json) as string[];
}

/** `ENV A=1 B=$APP` with the build arguments filled in. */
export function environmentOf(stage: Stage, args: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = instructionsOf(stage, 'ENV').flatMap((text) => text.split(/\s+/));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      return [name, fillIn(value, args)];
    }),
  );
}

export function fillIn(text: string, args: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => args[name] ?? '');
}

/**
 * What a .dockerignore lets into the build. The last pattern that matches a path, or a folder above it, decides; `!` lets in.
 */
export function contextFilter(ignoreText: string): (path: string) => boolean {
  const rules = ignoreText
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ letsIn: line.startsWith('!'), matches: patternOf(line.replace(/^!/, '')) }));
  return (path) => {
    const parts = path.split('/');
    const upwards = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return rules.reduce(
      (inside, { letsIn, matches }) => (upwards.some((one) => matches.test(one)) ? letsIn : inside),
      true,
    );
  };
}

function patternOf(glob: string): RegExp {
  const escaped = glob.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const source = escaped.replaceAll(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${source}$`);
}
