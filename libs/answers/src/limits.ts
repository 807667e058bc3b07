// Every limit of reading an answer, with its unit and its reason.

export const answerLimits = {
  /**
   * Characters of an utterance that is read as a number, date, phone …; longer ones are no answer
   * to such a question.
   */
  castCharsMax: 1_000,
  /** Characters of an answer that is a document (json, list, url). */
  documentCharsMax: 10_000,
  /**
   * Levels of a document captured by the `json` cast: it must leave room in variables of 64 levels.
   */
  jsonAnswerDepthMax: 32,
} as const;
