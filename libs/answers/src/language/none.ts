// An unsupported language: no words, only digits and ISO 8601.
import type { Lexicon } from './language.ts';

const noWords = {
  months: [],
  weekdays: [],
  units: [],
  parts: [],
  quarter: '',
  half: '',
  threeQuarters: '',
  oh: '',
};

export const none: Lexicon = {
  numbers: {
    small: [],
    hundred: '',
    bareScale: false,
    scales: [],
    and: '',
    minus: '',
    point: '',
    one: '',
    groupedDecimals: false,
    ordinals: [],
    ordinalSuffixes: '',
  },
  fillers: '',
  numberFillers: '',
  corrections: '',
  ages: '',
  choiceFillers: '',
  momentGlue: '',
  momentFillers: '',
  eitherWay: '',
  negations: '',
  idiomDays: [],
  groups: [],
  yes: 'true; 1',
  no: 'false; 0',
  and: '',
  names: noWords,
  moments: { range: '-' },
};
