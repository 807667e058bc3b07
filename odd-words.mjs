// Words that a newcomer must decode, and what to write instead (docs/glossary.md). eslint-words.mjs
// applies the list to comments, test/words.test.ts to Markdown, OpenAPI documents and JSX.

const ODD_WORDS = [
  [/\b(?:re-?rings?|re-?rung|rung|rings? (?:it|them|the|for|again))\b/i, 'enqueue, wake up'],
  [/\b(?:is|are|was|were|be|been|being) told\b/i, 'is notified, reports'],
  [/\bin hand\b/i, 'in flight, claimed'],
  [/\b(?:hand|hands|handed) back\b/i, 'release'],
  [/\b(?:kept back|put down|put away|set aside|left aside)\b/i, 'hold, create, archive, quarantine, omit'],
  [/\b(?:anew|hereby|likewise|for ever)\b/i, 'again, also, permanently'],
  [/\b(?:whoever|somebody|whatever)\b/i, 'name the actor: the caller, the worker, any'],
  [/\b(?:comes along|a slip of the pen|the story is)\b/i, 'is attached, a typo, details are'],
  [/\b(?:neighbours?|fortress)\b/i, 'another tenant, the target'],
  [/\b(?:the guilty one|a stretch of time|ways out|it says so)\b/i, 'suspected, period, branches'],
  [/\b(?:of|from|in) which (?:a|one) hundred\b/i, 'a plain statement'],
];

/** @returns {string[]} one message for each kind of odd word in the text */
export function findOddWords(text) {
  return ODD_WORDS.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text);
    return found ? [`"${found[0]}": write ${instead} (docs/glossary.md).`] : [];
  });
}
