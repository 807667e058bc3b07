// Imports the generators of a Dialogflow CX agent: prompts whose answer goes into a parameter that
// later messages read. Source: googleapis, google/cloud/dialogflow/cx/v3/generator.proto, and
// `Fulfillment.GeneratorSettings` of the REST API v3.
import type { SourceFile } from '../files.ts';
import { getMember, toMembers, toMembersList, toText, type Members } from '../source.ts';
import { toTemplate, toVariableName } from '../words.ts';

/** A tool that the caller runs, and the variable that gets its result. */
export interface ToolCall {
  readonly tool: string;
  readonly args: Members;
  readonly variable?: string;
}

const generatorPath = /(?:^|\/)generators\/([^/]+?)(?:\.json|\/.*\.json)$/u;
/** A word of a prompt that stands for a parameter, such as `$city` or `$last-user-utterance`. */
const promptPlaceholder = /\$([A-Za-z_][\w-]{0,60})/gu;

export class CxGenerators {
  /** Prompts by the names that a fulfillment may use. */
  private readonly prompts = new Map<string, string>();

  constructor(files: readonly SourceFile[], speaks: (language: unknown) => boolean) {
    for (const { path, content } of files) {
      const [, folder] = generatorPath.exec(path) ?? [];
      const [, language] = /\/([A-Za-z-]+)\.json$/u.exec(path) ?? [];
      const prompt = toText(getMember(content, 'promptText', 'text')) || toText(content['promptText']);
      const isPhrase = /\/phrases\//u.test(path);
      if (folder === undefined || prompt === '' || (isPhrase && !speaks(language))) continue;
      for (const name of [folder, toText(content['displayName']), toText(content['name'])])
        if (name !== '') this.prompts.set(name, prompt);
    }
  }

  /** A tool with the prompt: an agent would speak the answer before a message does. */
  callsOf(fulfillment: unknown): readonly ToolCall[] {
    return toMembersList(getMember(fulfillment, 'generators')).map((settings) => {
      const name = toText(settings['generator']);
      const prompt = this.prompts.get(name) ?? '';
      const output = toText(settings['outputParameter']);
      const variable = toVariableName(output.replace(/^\$?(?:request|session)\.(?:params\.)?/u, ''));
      const inputs = toMembers(settings['inputParameters']);
      return {
        tool: name.split('/').at(-1) || 'generator',
        args: prompt === '' ? {} : { prompt: toPrompt(prompt, inputs) },
        ...(variable === null ? {} : { variable }),
      };
    });
  }
}

/** Without a setting, the session parameter of the same name takes the place. */
function toPrompt(prompt: string, inputs: Members): string {
  return toTemplate(prompt, promptPlaceholder, (inner) => {
    if (inner === 'last-user-utterance') return 'user_input';
    if (inner === 'conversation') return null;
    const source = toText(inputs[inner]) || inner;
    return toVariableName(source.replace(placeholderStart, ''));
  });
}

const placeholderStart = /^\$?(?:session|request|page|flow)\.(?:params\.)?/u;
