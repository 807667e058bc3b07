/** What a tool cannot do and nobody has to look into: the assistant is told why, and nothing else. */
export class NotDone extends Error {}
