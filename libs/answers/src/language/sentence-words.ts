// What the reading of a value inside a sentence has to know of a language: closed lists, in the
// pattern syntax of grammar/phrases.ts.

export interface SentenceWords {
  /**
   * Denial, choice, approximation, repetition, condition: in a sentence with one of them nothing is
   * a value.
   */
  readonly changes: string;
  /** Limits of a number, a day or a time: "at least", "before". */
  readonly limits: string;
  /** Meals, from which a bare hour would have to be told. */
  readonly meals: string;
  /** What belongs to a verb where it ends the sentence: "wir reisen am Samstag ab". */
  readonly particles: string;
  /** The words of denial alone: "not Monday, Wednesday". */
  readonly denials: string;
  /** Words of a question, wherever they stand. */
  readonly questions: string;
  /** What a question begins with: "can you". */
  readonly questionOpenings: string;
  /** What takes back the value before: "no wait". */
  readonly repairs: string;
  /** A plain no, which takes back only where a value or a mark stands beside it. */
  readonly plainNo: string;
  /** A plain yes, which decides also where no mark stands behind it. */
  readonly plainYes: string;
  /** What opens the right value after a denied one: "not Monday but Tuesday". */
  readonly contrasts: string;
  /** Good morning, good night: no part of a day. */
  readonly greetings: string;
  /** Words that are no nouns and may follow a number or a day. */
  readonly small: string;
  /** Nouns that a number counts where the node names no unit. */
  readonly people: string;
  /** What a number behind it only names: "room 12". */
  readonly labels: string;
  /** Numbers that are articles too: "one", "un". */
  readonly articles: string;
  /** Parts of a day and meals: one that is left unread may change the hour. */
  readonly dayWords: string;
  /**
   * Short names that are other words too, such as "sat"; and names that a noun may follow, such as
   * "segunda".
   */
  readonly doubtful: string;
  /** Words before a day of the month in a sentence: "on". */
  readonly dayPrepositions: string;
  /** Feasts that are named after a weekday: "good friday". */
  readonly feasts: string;
  /** "But" and the like, behind a yes or a no. */
  readonly buts: string;
  /** What looks like a yes or a no and is none: "no idea". */
  readonly undecided: string;
  /** What asks for a booking and is no question: "can I book". */
  readonly requests?: string;
  /** What stands between a yes or a no and the value that corrects: "but", "make it". */
  readonly corrects?: string;
  /** Words of what is over: a day in such a sentence is none that is to come. */
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
