// French answers of every cast that reads words, on both sides of each rule
// (docs/flow-language.md#casts).
import { answers } from '../../test/answer-tables.ts';

const language = 'fr';

answers(
  'number',
  `
  vingt et un = 21
  quatre-vingt-dix-sept = 97
  soixante et onze = 71
  deux cent trois = 203
  mille neuf cent quatre-vingt-cinq = 1985
  j'ai 15 ans = 15
  1 234,5 = 1234.5
  trois virgule deux = 3.2
  environ vingt ! not_a_number
  deux ou trois ! not_a_number
  pas cinq ! not_a_number
  au moins 5 ! not_a_number`,
  { language },
);

answers(
  'boolean',
  `
  oui = true
  Oui, s'il vous plaît. = true
  c'est exact = true
  bien sûr = true
  non = false
  non merci = false
  pas vraiment = false
  ce n'est pas correct = false
  non, tout le monde va bien = false
  je ne sais pas ! not_a_boolean
  oui et non ! not_a_boolean
  peut-être ! not_a_boolean`,
  { language },
);

answers(
  'date',
  `
  aujourd'hui = "2026-08-24"
  après-demain = "2026-08-26"
  vendredi = "2026-08-28"
  vendredi dernier = "2026-08-21"
  le 16 novembre 2026 = "2026-11-16"
  5/6/2026 = "2026-06-05"
  le premier mai = "2027-05-01"
  dans deux semaines = "2026-09-07"
  il y a 3 jours = "2026-08-21"
  je voudrais le 15 août = "2027-08-15"
  vendredi prochain ! ambiguous
  pas demain ! not_a_date
  vendredi ou samedi ! ambiguous
  la semaine prochaine ! no_day`,
  { language },
);

answers(
  'time',
  `
  sept heures et demie = "19:30"
  neuf heures moins le quart = "20:45"
  huit heures du soir = "20:00"
  8h du matin = "08:00"
  10h38 = "10:38"
  17 h = "17:00"
  midi = "12:00"
  à huit heures vingt = "20:20"
  vers 8 heures ! not_a_time
  après 8 heures ! not_a_time
  huit ou neuf heures ! ambiguous
  25 heures ! not_a_time`,
  { language },
);

answers(
  'datetime',
  `
  demain à 17 heures = "2026-08-25T17:00:00Z"
  le 16 novembre 2026 à 10h38 = "2026-11-16T10:38:00Z"
  ce soir à 8 heures = "2026-08-24T20:00:00Z"
  demain matin à 9 heures = "2026-08-25T09:00:00Z"
  dans une demi-heure = "2026-08-24T12:30:00Z"
  vendredi à midi = "2026-08-28T12:00:00Z"
  demain ! no_time
  pas demain à 9 heures ! not_a_datetime
  demain vers 9 heures ! not_a_datetime`,
  { language },
);

answers(
  'enum',
  `
  la rouge = "rouge"
  la rouge, s'il vous plaît = "rouge"
  je voudrais la bleue = "bleue"
  Rouge. = "rouge"
  c'est la rouge = "rouge"
  la rouge ou la bleue ! not_a_choice
  pas la rouge ! not_a_choice
  tout sauf la rouge ! not_a_choice
  rougeâtre ! not_a_choice`,
  { language, choices: ['rouge', 'bleue'] },
);

answers(
  'list',
  `
  thé et lait = ["thé","lait"]
  thé, lait et sucre = ["thé","lait","sucre"]
  thé = ["thé"]
  thé; lait = ["thé","lait"]
  béret = ["béret"]
  thé and lait = ["thé and lait"]
  , ! not_a_list
  [] ! not_a_list`,
  { language },
);

answers(
  'email',
  `
  ada@example.com = "ada@example.com"
  mon adresse est ada@example.com = "ada@example.com"
  ada@example.com merci = "ada@example.com"
  oui, ada@example.com = "ada@example.com"
  pas ada@example.com ! not_an_email
  ce n'est pas ada@example.com ! not_an_email
  ada@example.com ou bob@example.com ! ambiguous
  ada arobase example ! not_an_email`,
  { language },
);

answers(
  'url',
  `
  example.fr = "https://example.fr"
  c'est example.fr = "https://example.fr"
  example.fr merci = "https://example.fr"
  https://example.fr/a = "https://example.fr/a"
  pas example.fr ! not_a_url
  example.fr ou example.com ! ambiguous
  1,5 ! not_a_url
  Non. ! not_a_url`,
  { language },
);

// What puts right what was understood before.
answers(
  'date',
  `
  non, j'ai dit vendredi = "2026-08-28"
  non, pas vendredi ! not_a_date`,
  { language },
);
answers(
  'integer',
  `
  non, je voulais dire quatre = 4`,
  { language },
);
