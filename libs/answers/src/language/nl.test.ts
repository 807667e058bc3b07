// Dutch answers of every cast that reads words, on both sides of each rule
// (docs/flow-language.md#casts).
import { answers } from '../../test/answer-tables.ts';

const language = 'nl';

answers(
  'number',
  `
  eenentwintig = 21
  driehonderdvierentwintig = 324
  tweeduizend zesentwintig = 2026
  tweeëntwintig = 22
  15 jaar oud = 15
  1.234,5 = 1234.5
  drie komma twee = 3.2
  vijf alstublieft = 5
  ongeveer twintig ! not_a_number
  twee of drie ! not_a_number
  niet vijf ! not_a_number
  minstens 5 ! not_a_number`,
  { language },
);

answers(
  'boolean',
  `
  ja = true
  Ja, graag. = true
  dat klopt = true
  natuurlijk = true
  nee = false
  nee, bedankt = false
  niet echt = false
  dat klopt niet = false
  nee, met iedereen gaat het goed = false
  ik weet het niet ! not_a_boolean
  ja en nee ! not_a_boolean
  misschien ! not_a_boolean`,
  { language },
);

answers(
  'date',
  `
  vandaag = "2026-08-24"
  overmorgen = "2026-08-26"
  op vrijdag = "2026-08-28"
  vorige vrijdag = "2026-08-21"
  16 november 2026 = "2026-11-16"
  5-6-2026 = "2026-06-05"
  vijf mei = "2027-05-05"
  over twee weken = "2026-09-07"
  3 dagen geleden = "2026-08-21"
  de vijfde mei = "2027-05-05"
  volgende vrijdag ! ambiguous
  niet morgen ! not_a_date
  vrijdag of zaterdag ! ambiguous
  volgende week ! no_day`,
  { language },
);

answers(
  'time',
  `
  half acht = "19:30"
  kwart voor negen = "20:45"
  vijf over half acht = "19:35"
  acht uur 's avonds = "20:00"
  om 8 uur 's ochtends = "08:00"
  om 10:38 = "10:38"
  17 uur = "17:00"
  om acht uur twintig = "20:20"
  ongeveer acht uur ! not_a_time
  na acht uur ! not_a_time
  acht of negen uur ! ambiguous
  25 uur ! not_a_time`,
  { language },
);

answers(
  'datetime',
  `
  morgen om 17 uur = "2026-08-25T17:00:00Z"
  16 november 2026 om 10:38 = "2026-11-16T10:38:00Z"
  vanavond om 8 uur = "2026-08-24T20:00:00Z"
  morgen om 9 uur 's ochtends = "2026-08-25T09:00:00Z"
  over een half uur = "2026-08-24T12:30:00Z"
  vrijdag om half acht 's avonds = "2026-08-28T19:30:00Z"
  morgen ! no_time
  niet morgen om 9 uur ! not_a_datetime
  morgen na 9 uur ! not_a_datetime`,
  { language },
);

answers(
  'enum',
  `
  de rode = "rode"
  de rode alstublieft = "rode"
  ik wil de blauwe = "blauwe"
  Rode. = "rode"
  ik neem de rode = "rode"
  de rode of de blauwe ! not_a_choice
  niet de rode ! not_a_choice
  alles behalve de rode ! not_a_choice
  rodere ! not_a_choice`,
  { language, choices: ['rode', 'blauwe'] },
);

answers(
  'list',
  `
  thee en melk = ["thee","melk"]
  thee, melk en suiker = ["thee","melk","suiker"]
  thee = ["thee"]
  thee; melk = ["thee","melk"]
  eend = ["eend"]
  thee and melk = ["thee and melk"]
  , ! not_a_list
  [] ! not_a_list`,
  { language },
);

answers(
  'email',
  `
  ada@example.com = "ada@example.com"
  mijn adres is ada@example.com = "ada@example.com"
  ada@example.com graag = "ada@example.com"
  ja, ada@example.com = "ada@example.com"
  niet ada@example.com ! not_an_email
  nooit ada@example.com ! not_an_email
  ada@example.com of bob@example.com ! ambiguous
  ada apenstaartje example ! not_an_email`,
  { language },
);

answers(
  'url',
  `
  example.nl = "https://example.nl"
  het is example.nl = "https://example.nl"
  example.nl graag = "https://example.nl"
  https://example.nl/a = "https://example.nl/a"
  niet example.nl ! not_a_url
  example.nl of example.com ! ambiguous
  1,5 ! not_a_url
  Nee. ! not_a_url`,
  { language },
);

// What puts right what was understood before.
answers(
  'date',
  `
  nee, ik zei vrijdag = "2026-08-28"
  nee, niet vrijdag ! not_a_date`,
  { language },
);
answers(
  'integer',
  `
  nee, ik bedoelde vier = 4`,
  { language },
);
