// Closed lists of a language for reading a value inside a sentence, in the pattern syntax of
// grammar/phrases.ts.

export interface SentenceWords {
  /**
   * Denial, choice, approximation, repetition, condition: a sentence with one of them holds no
   * value.
   */
  readonly changes: string;
  /** Limits of a number, a day or a time: "at least", "before". */
  readonly limits: string;
  /** Meals: they would decide what a bare hour means. */
  readonly meals: string;
  /** A particle of a verb at the end of the sentence: "wir reisen am Samstag ab". */
  readonly particles: string;
  /** The words of denial alone: "not Monday, Wednesday". */
  readonly denials: string;
  /** Words of a question, anywhere in a sentence. */
  readonly questions: string;
  /** Openings of a question: "can you". */
  readonly questionOpenings: string;
  /** Words that take back the value before: "no wait". */
  readonly repairs: string;
  /** A plain no, which takes back only beside a value or a mark. */
  readonly plainNo: string;
  /** A plain yes, which decides even without a mark after it. */
  readonly plainYes: string;
  /** Words before the right value after a denied one: "not Monday but Tuesday". */
  readonly contrasts: string;
  /** Good morning, good night: no part of a day. */
  readonly greetings: string;
  /** Words that are no nouns and may follow a number or a day. */
  readonly small: string;
  /** Nouns that a number counts where the node names no unit. */
  readonly people: string;
  /** Words before a number that only names something: "room 12". */
  readonly labels: string;
  /** Numbers that are articles too: "one", "un". */
  readonly articles: string;
  /** Parts of a day and meals: an unread one may change the hour. */
  readonly dayWords: string;
  /**
   * Short names that are other words too, such as "sat"; and names before a noun, such as
   * "segunda".
   */
  readonly doubtful: string;
  /** Words before a day of the month in a sentence: "on". */
  readonly dayPrepositions: string;
  /** Feasts that are named after a weekday: "good friday". */
  readonly feasts: string;
  /** "But" and the like, after a yes or a no. */
  readonly buts: string;
  /** Phrases that look like a yes or a no but are neither: "no idea". */
  readonly undecided: string;
  /** Phrases that request a booking and are no question: "can I book". */
  readonly requests?: string;
  /** Words between a yes or a no and the corrected value: "but", "make it". */
  readonly corrects?: string;
  /** Words about the past: a day in such a sentence is not in the future. */
  readonly past?: string;
  /** Words right before a count of people: "a table for". */
  readonly parties?: string;
}

export const noSentenceWords: Required<SentenceWords> = {
  changes: '',
  limits: '',
  meals: '',
  particles: '',
  denials: '',
  questions: '',
  questionOpenings: '',
  repairs: '',
  plainNo: '',
  plainYes: '',
  contrasts: '',
  greetings: '',
  small: '',
  people: '',
  labels: '',
  articles: '',
  dayWords: '',
  doubtful: '',
  dayPrepositions: '',
  feasts: '',
  buts: '',
  undecided: '',
  requests: '',
  corrects: '',
  past: '',
  parties: '',
};
