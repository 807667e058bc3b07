// The public interface for reading answers; comparisons use `@parley/answers/readings`.
export { casts, resolveCast, type Cast, type CastSpec } from './casts.ts';
export { compileCast, rulesChars, type AnswerCast, type CastRules, type ReadingContext } from './cast.ts';
export { explainAnswer, type ReadToken } from './read-answer.ts';
export { choiceValue } from './read-choice.ts';
export { tokenRules } from './reading-notes.ts';
export {
  compileSeveral,
  standsAmongOthers,
  type FoundValue,
  type SeveralReader,
  type SeveralSpec,
} from './read-several.ts';
export { readingLevels, type CapturedAnswer, type CastOutcome, type ReadingLevel } from './outcome.ts';
export { containsWords, normaliseUtterance } from './grammar/tokens.ts';
export { answerLimits } from './limits.ts';
export { baseLanguages, type BaseLanguageData } from './base/base-language.ts';
export { provideBaseLanguages } from './base/provided.ts';
export { baseLanguageName, canonicalTag, languageLevel, spokenLanguages } from './language/languages.ts';
export { isoWithOffset, zoneOffset } from './time-zone.ts';
