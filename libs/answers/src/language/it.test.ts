// Italian answers of every cast that reads words, on both sides of each rule
// (docs/flow-language.md#casts).
import { answers } from '../../test/answer-tables.ts';

const language = 'it';

answers(
  'number',
  `
  ventuno = 21
  ventotto = 28
  duecentotre = 203
  duemilaventisei = 2026
  millenovecentottantacinque = 1985
  ho 15 anni = 15
  trentatré = 33
  1.234,5 = 1234.5
  tre virgola due = 3.2
  circa venti ! not_a_number
  due o tre ! not_a_number
  non cinque ! not_a_number
  almeno 5 ! not_a_number`,
  { language },
);

answers(
  'boolean',
  `
  sì = true
  Sì, grazie. = true
  è corretto = true
  d'accordo = true
  no = false
  no, grazie = false
  non proprio = false
  non è corretto = false
  no, stiamo tutti bene = false
  non lo so ! not_a_boolean
  sì e no ! not_a_boolean
  forse ! not_a_boolean`,
  { language },
);

answers(
  'date',
  `
  oggi = "2026-08-24"
  dopodomani = "2026-08-26"
  venerdì = "2026-08-28"
  venerdì scorso = "2026-08-21"
  il 16 novembre 2026 = "2026-11-16"
  5/6/2026 = "2026-06-05"
  il primo maggio = "2027-05-01"
  tra due settimane = "2026-09-07"
  3 giorni fa = "2026-08-21"
  l'8 maggio = "2027-05-08"
  venerdì prossimo ! ambiguous
  non domani ! not_a_date
  venerdì o sabato ! ambiguous
  la prossima settimana ! no_day`,
  { language },
);

answers(
  'time',
  `
  le sette e mezza = "19:30"
  le nove meno un quarto = "20:45"
  le otto di sera = "20:00"
  alle 8 di mattina = "08:00"
  alle 10:38 = "10:38"
  alle 17 = "17:00"
  mezzogiorno = "12:00"
  alle otto e venti = "20:20"
  verso le otto ! not_a_time
  dopo le otto ! not_a_time
  alle otto o alle nove ! ambiguous
  alle 25 ! not_a_time`,
  { language },
);

answers(
  'datetime',
  `
  domani alle 17 = "2026-08-25T17:00:00Z"
  il 16 novembre 2026 alle 10:38 = "2026-11-16T10:38:00Z"
  stasera alle 8 = "2026-08-24T20:00:00Z"
  domani mattina alle 9 = "2026-08-25T09:00:00Z"
  tra mezz'ora = "2026-08-24T12:30:00Z"
  venerdì a mezzogiorno = "2026-08-28T12:00:00Z"
  domani ! no_time
  non domani alle 9 ! not_a_datetime
  domani verso le 9 ! not_a_datetime`,
  { language },
);

answers(
  'enum',
  `
  la rossa = "rossa"
  la rossa, per favore = "rossa"
  vorrei la blu = "blu"
  Rossa. = "rossa"
  prendo la rossa = "rossa"
  la rossa o la blu ! not_a_choice
  non la rossa ! not_a_choice
  tutto tranne la rossa ! not_a_choice
  rosse ! not_a_choice`,
  { language, choices: ['rossa', 'blu'] },
);

answers(
  'list',
  `
  tè e latte = ["tè","latte"]
  tè, latte e zucchero = ["tè","latte","zucchero"]
  tè = ["tè"]
  tè; latte = ["tè","latte"]
  erba = ["erba"]
  tè and latte = ["tè and latte"]
  , ! not_a_list
  [] ! not_a_list`,
  { language },
);

answers(
  'email',
  `
  ada@example.com = "ada@example.com"
  il mio indirizzo è ada@example.com = "ada@example.com"
  ada@example.com grazie = "ada@example.com"
  sì, ada@example.com = "ada@example.com"
  non ada@example.com ! not_an_email
  tranne ada@example.com ! not_an_email
  ada@example.com o bob@example.com ! ambiguous
  ada chiocciola example ! not_an_email`,
  { language },
);

answers(
  'url',
  `
  example.it = "https://example.it"
  è example.it = "https://example.it"
  example.it grazie = "https://example.it"
  https://example.it/a = "https://example.it/a"
  non example.it ! not_a_url
  example.it o example.com ! ambiguous
  1,5 ! not_a_url
  No. ! not_a_url`,
  { language },
);

// What puts right what was understood before.
answers(
  'date',
  `
  no, ho detto venerdì = "2026-08-28"
  no, non venerdì ! not_a_date`,
  { language },
);
answers(
  'integer',
  `
  no, volevo dire quattro = 4`,
  { language },
);
