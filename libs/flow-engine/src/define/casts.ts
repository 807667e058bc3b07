// The table of casts of a collect node (docs/flow-language.md#casts): names, aliases and what a captured answer becomes. How they
// read an utterance is in cast.ts; adding one starts here.

export interface CastSpec {
  readonly aliases: readonly string[];
  /** JSON type of the captured value; null = any. */
  readonly captures: 'string' | 'number' | 'boolean' | 'array' | null;
  /** Node members that the cast reads beside the answer. */
  readonly reads?: readonly ('choices' | 'default_region')[];
  readonly meaning: string;
}

export const casts = {
  string: { aliases: ['str', 'text'], captures: 'string', meaning: 'The answer as it is.' },
  integer: { aliases: ['int'], captures: 'number', meaning: 'A whole number, in digits or English words.' },
  number: {
    aliases: ['float', 'double'],
    captures: 'number',
    meaning: 'A number, in digits or English words.',
  },
  boolean: { aliases: ['bool'], captures: 'boolean', meaning: 'Yes or no, in the usual words.' },
  date: { aliases: [], captures: 'string', meaning: 'A day, as YYYY-MM-DD.' },
  time: { aliases: [], captures: 'string', meaning: 'A time of day, as HH:MM or HH:MM:SS.' },
  datetime: {
    aliases: [],
    captures: 'string',
    meaning: 'A moment, as ISO 8601 with the offset of `timezone`.',
  },
  email: { aliases: [], captures: 'string', meaning: 'One e-mail address.' },
  phone: {
    aliases: [],
    captures: 'string',
    reads: ['default_region'],
    meaning: 'One phone number, as E.164.',
  },
  url: { aliases: [], captures: 'string', meaning: 'One http or https address.' },
  json: { aliases: [], captures: null, meaning: 'A JSON document.' },
  list: { aliases: [], captures: 'array', meaning: 'Several texts: a JSON list, or separated by commas.' },
  enum: {
    aliases: [],
    captures: null,
    reads: ['choices'],
    meaning: 'One of `choices`, by value or synonym.',
  },
} as const satisfies Record<string, CastSpec>;

export type Cast = keyof typeof casts;

const castBySpelling: ReadonlyMap<string, Cast> = new Map(
  Object.entries(casts).flatMap(([cast, spec]) =>
    [cast, ...spec.aliases].map((spelling) => [spelling, cast as Cast] as const),
  ),
);

/** The canonical cast behind an authored `cast` (default: string), or null when there is no such cast. */
export function resolveCast(authored: string | null | undefined): Cast | null {
  return authored == null || authored === '' ? 'string' : (castBySpelling.get(authored) ?? null);
}
