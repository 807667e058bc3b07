// German answers of every cast that reads words, on both sides of each rule
// (docs/flow-language.md#casts).
import { answers } from '../../test/answer-tables.ts';

const language = 'de';

answers(
  'number',
  `
  einundzwanzig = 21
  dreihundertvierundzwanzig = 324
  zweitausend sechsundzwanzig = 2026
  1.234,5 = 1234.5
  3,5 = 3.5
  Ich bin 77 Jahre alt = 77
  minus fünf Komma drei = -5.3
  dreißig bitte = 30
  zwei oder drei ! not_a_number
  ungefähr zehn ! not_a_number
  nicht fünf ! not_a_number
  mindestens 5 ! not_a_number
  1,234,5 ! not_a_number
  vier zehn ! not_a_number`,
  { language },
);

answers(
  'boolean',
  `
  ja = true
  Ja, bitte. = true
  das stimmt = true
  natürlich = true
  nein = false
  Nein, danke = false
  nicht wirklich = false
  das stimmt nicht = false
  nein, allen geht es gut = false
  ich weiß nicht ! not_a_boolean
  ja und nein ! not_a_boolean
  vielleicht ! not_a_boolean`,
  { language },
);

answers(
  'date',
  `
  heute = "2026-08-24"
  übermorgen = "2026-08-26"
  am Freitag = "2026-08-28"
  letzten Freitag = "2026-08-21"
  am 16. November 2026 = "2026-11-16"
  5.6.2026 = "2026-06-05"
  am fünften Mai = "2027-05-05"
  in zwei Wochen = "2026-09-07"
  vor 3 Tagen = "2026-08-21"
  nächsten Freitag ! ambiguous
  nächsten Montag = "2026-08-31"
  nicht morgen ! not_a_date
  Freitag oder Samstag ! ambiguous
  nächste Woche ! no_day
  30. Februar ! not_a_date`,
  { language },
);

answers(
  'time',
  `
  halb acht = "19:30"
  Viertel vor neun = "20:45"
  fünf nach halb acht = "19:35"
  um fünf nach acht = "20:05"
  acht Uhr abends = "20:00"
  zwanzig Uhr dreißig = "20:30"
  um 8 Uhr morgens = "08:00"
  12:15 = "12:15"
  17.30 Uhr = "17:30"
  gegen acht ! not_a_time
  nach acht ! not_a_time
  acht oder neun ! ambiguous
  25 Uhr ! not_a_time`,
  { language },
);

answers(
  'datetime',
  `
  morgen um 17 Uhr = "2026-08-25T17:00:00Z"
  am 16. November 2026 um 10:38 = "2026-11-16T10:38:00Z"
  heute Abend um 8 = "2026-08-24T20:00:00Z"
  morgen früh um 9 = "2026-08-25T09:00:00Z"
  Freitag um halb acht abends = "2026-08-28T19:30:00Z"
  in einer halben Stunde = "2026-08-24T12:30:00Z"
  morgen ! no_time
  nicht morgen um 9 ! not_a_datetime
  morgen gegen 9 ! not_a_datetime`,
  { language },
);

answers(
  'enum',
  `
  die rote = "rote"
  die rote bitte = "rote"
  ich nehme die rote = "rote"
  Rote. = "rote"
  ich möchte die blaue = "blaue"
  die rote oder die blaue ! not_a_choice
  nicht die rote ! not_a_choice
  alles außer rote ! not_a_choice
  die rötere ! not_a_choice`,
  { language, choices: ['rote', 'blaue'] },
);

answers(
  'list',
  `
  Tee und Milch = ["Tee","Milch"]
  Tee, Milch und Zucker = ["Tee","Milch","Zucker"]
  Tee = ["Tee"]
  Tee; Milch = ["Tee","Milch"]
  Hund = ["Hund"]
  Tee and Milch = ["Tee and Milch"]
  , ! not_a_list
  [] ! not_a_list`,
  { language },
);

answers(
  'email',
  `
  ada@example.com = "ada@example.com"
  meine Adresse ist ada@example.com = "ada@example.com"
  ada@example.com bitte = "ada@example.com"
  ja, ada@example.com = "ada@example.com"
  nicht ada@example.com ! not_an_email
  keine Nachrichten an ada@example.com ! not_an_email
  ada@example.com oder bob@example.com ! ambiguous
  ada at example ! not_an_email`,
  { language },
);

answers(
  'url',
  `
  example.de = "https://example.de"
  es ist example.de = "https://example.de"
  example.de bitte = "https://example.de"
  https://example.de/ä = "https://example.de/ä"
  nicht example.de ! not_a_url
  example.de oder example.com ! ambiguous
  1,5 ! not_a_url
  Nein. ! not_a_url`,
  { language },
);

// What puts right what was understood before.
answers(
  'date',
  `
  nein, ich sagte Freitag = "2026-08-28"
  nein, nicht Freitag ! not_a_date`,
  { language },
);
answers(
  'integer',
  `
  nein, ich meinte vier = 4`,
  { language },
);
