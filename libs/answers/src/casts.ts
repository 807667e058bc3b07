// The table of casts of a collect node (docs/flow-language.md#casts): names, aliases and the
// captured type. Add a cast here first; cast.ts implements them.

/**
 * Members of a collect node that a cast may read. Every cast reads `strict`, and its words are
 * those of `language`.
 */
export type CastMember =
  'choices' | 'default_region' | 'prefer' | 'date_order' | 'min' | 'max' | 'pattern' | 'unit';

export interface CastSpec {
  readonly aliases: readonly string[];
  /** JSON type of the captured value; null = any. */
  readonly captures: 'string' | 'number' | 'boolean' | 'array' | null;
  /** Node members that the cast reads beside the answer. */
  readonly reads?: readonly CastMember[];
  /**
   * Its answers are words of a language: in an unsupported one, it reads only digits and written
   * forms.
   */
  readonly spoken?: true;
  /** Its name for people. */
  readonly label: string;
  readonly meaning: string;
}

export const casts = {
  string: {
    aliases: ['str', 'text'],
    captures: 'string',
    reads: ['min', 'max', 'pattern'],
    label: 'Any text',
    meaning: 'The answer as it is.',
  },
  integer: {
    aliases: ['int'],
    captures: 'number',
    reads: ['min', 'max', 'unit'],
    spoken: true,
    label: 'Whole number',
    meaning: 'A whole number, in digits or words.',
  },
  number: {
    aliases: ['float', 'double'],
    captures: 'number',
    reads: ['min', 'max', 'unit'],
    spoken: true,
    label: 'Number',
    meaning: 'A number, in digits or words.',
  },
  boolean: {
    aliases: ['bool'],
    captures: 'boolean',
    spoken: true,
    label: 'Yes or no',
    meaning: 'Yes or no, in the usual words.',
  },
  date: {
    aliases: [],
    captures: 'string',
    reads: ['prefer', 'date_order', 'min', 'max'],
    spoken: true,
    label: 'Date',
    meaning: 'A day, as YYYY-MM-DD.',
  },
  time: {
    aliases: [],
    captures: 'string',
    reads: ['prefer', 'date_order', 'min', 'max'],
    spoken: true,
    label: 'Time of day',
    meaning: 'A time of day, as HH:MM or HH:MM:SS.',
  },
  datetime: {
    aliases: [],
    captures: 'string',
    reads: ['prefer', 'date_order', 'min', 'max'],
    spoken: true,
    label: 'Date and time',
    meaning: 'A moment, as ISO 8601 with the offset of `timezone`.',
  },
  email: {
    aliases: [],
    captures: 'string',
    reads: ['pattern'],
    label: 'E-mail address',
    meaning: 'One e-mail address.',
  },
  phone: {
    aliases: [],
    captures: 'string',
    reads: ['default_region', 'pattern'],
    label: 'Phone number',
    meaning: 'One phone number, as E.164.',
  },
  url: {
    aliases: [],
    captures: 'string',
    reads: ['pattern'],
    label: 'Web address',
    meaning: 'One http or https address.',
  },
  code: {
    aliases: ['spelled'],
    captures: 'string',
    reads: ['pattern'],
    label: 'Code or spelled name',
    meaning: 'Letters and digits, written or spelled, as a policy number, a plate or a name: `MAX1234`.',
  },
  json: { aliases: [], captures: null, label: 'JSON document', meaning: 'A JSON document.' },
  list: {
    aliases: [],
    captures: 'array',
    reads: ['min', 'max'],
    label: 'List',
    meaning: 'Several texts: a JSON list, or separated by commas.',
  },
  enum: {
    aliases: [],
    captures: null,
    reads: ['choices'],
    label: 'One of the choices',
    meaning: 'One of `choices`, by value or synonym.',
  },
} as const satisfies Record<string, CastSpec>;

export type Cast = keyof typeof casts;

const castBySpelling: ReadonlyMap<string, Cast> = new Map(
  Object.entries(casts).flatMap(([cast, spec]) =>
    [cast, ...spec.aliases].map((spelling) => [spelling, cast as Cast] as const),
  ),
);

/**
 * The canonical cast behind an authored `cast` (default: string), or null when there is no such
 * cast.
 */
export function resolveCast(authored: string | null | undefined): Cast | null {
  return authored == null || authored === '' ? 'string' : (castBySpelling.get(authored) ?? null);
}
