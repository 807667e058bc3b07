// English answers of every cast, on both sides of each rule (docs/flow-language.md#casts).
import { describe } from '@jest/globals';
import { answers } from '../test/answer-tables.ts';

describe('the answers that were understood in part', () => {
  answers(
    'date',
    `
    last Friday = "2026-08-21"
    Friday the 4th = "2026-09-04"
    Friday the 5th ! ambiguous
    8pm on the 15th = "2026-09-15"
    16. Nov. 2026 10:38 = "2026-11-16"`,
  );
  answers(
    'time',
    `
    8pm on the 15th = "20:00"
    16. Nov. 2026 10:38 = "10:38"
    5 minutes to eight = "19:55"
    half past 8pm = "20:30"
    at 8 30 = "20:30"
    1900 hours = "19:00"
    at 8 or 9 ! ambiguous`,
  );
  answers(
    'datetime',
    `
    8pm on the 15th = "2026-09-15T20:00:00Z"
    16. Nov. 2026 10:38 = "2026-11-16T10:38:00Z"
    5 minutes to eight = "2026-08-24T19:55:00Z"
    half past 8pm = "2026-08-24T20:30:00Z"
    at 8 30 = "2026-08-24T20:30:00Z"
    1900 hours = "2026-08-24T19:00:00Z"
    at 8 or 9 ! not_a_datetime`,
  );
  answers(
    'url',
    `
    None. ! not_a_url
    1.5 ! not_a_url
    john@x.com ! not_a_url`,
  );
});

answers(
  'number',
  `
  I'm 77 = 77
  I am twenty-one years old = 21
  15 years old = 15
  it's 42 = 42
  42 please = 42
  I have 3 = 3
  we are five = 5
  um, 7 = 7
  I'd like 2, please. = 2
  a hundred and one = 101
  two thousand five = 2005
  exactly 3.5 = 3.5
  about twenty ! not_a_number
  around 20 ! not_a_number
  almost 20 ! not_a_number
  two or three ! not_a_number
  2 to 3 ! not_a_number
  5-7 ! not_a_number
  5, 5 ! not_a_number
  not 5 ! not_a_number
  at least 5 ! not_a_number
  more than 5 ! not_a_number
  5 and a half ! not_a_number
  15 years ! not_a_number
  50% ! not_a_number
  5 people = 5
  fewer than ten ! not_a_number
  five hundred and ! not_a_number`,
);
answers(
  'integer',
  `
  I'm 77 = 77
  77 = 77
  seventy-seven = 77
  just 4 = 4
  a table for 4 = 4
  one million = 1000000
  minus 4 = -4
  -4 = -4
  1,000 = 1000
  4.0 = 4
  4.5 ! not_an_integer
  four point five ! not_an_integer
  four or five ! not_a_number
  about four ! not_a_number
  4 5 ! not_a_number
  4/5 ! not_a_number
  12:30 ! not_a_number
  no idea ! not_a_number
  1.2.3 ! not_a_number
  4x ! not_a_number`,
);
answers(
  'boolean',
  `
  yes it is = true
  that's correct = true
  that is right = true
  yes, please = true
  yes, everyone is fine = true
  sure thing = true
  of course = true
  I do = true
  absolutely! = true
  no, everyone is fine = false
  not really = false
  no thank you = false
  that's not correct = false
  that's wrong = false
  I don't = false
  absolutely not = false
  not at all = false
  no no no = false
  I don't know ! not_a_boolean
  maybe ! not_a_boolean
  yes and no ! not_a_boolean
  yes, no ! not_a_boolean
  no problem ! not_a_boolean
  yes, but not today ! not_a_boolean
  right now ! not_a_boolean
  everyone is fine ! not_a_boolean
  10 ! not_a_boolean`,
);
answers(
  'date',
  `
  today = "2026-08-24"
  tomorrow, please = "2026-08-25"
  I'd like Friday = "2026-08-28"
  Monday = "2026-08-24"
  this Friday = "2026-08-28"
  next Tuesday = "2026-09-01"
  last Monday = "2026-08-17"
  Monday next week = "2026-08-31"
  the 15th = "2026-09-15"
  on the 31st = "2026-08-31"
  Wednesday, 26 August = "2026-08-26"
  August 24 = "2026-08-24"
  5/6/2026 = "2026-05-06"
  25/12/2026 = "2026-12-25"
  5/6/85 = "1985-05-06"
  I was born on 5 May 1985 = "1985-05-05"
  May fifth nineteen eighty-five = "1985-05-05"
  twenty-first of June = "2027-06-21"
  in two weeks = "2026-09-07"
  three days ago = "2026-08-21"
  2026-08-25T10:30 = "2026-08-25"
  February 29 = "2028-02-29"
  not tomorrow ! not_a_date
  maybe tomorrow ! not_a_date
  every Monday ! not_a_date
  any day but Monday ! not_a_date
  Tuesday 26 August ! ambiguous
  tomorrow or Friday ! ambiguous
  next week ! no_day
  next month ! no_day
  end of the month ! no_day
  in an hour and a half ! not_a_date
  before Friday ! not_a_date
  Monday morning = "2026-08-31"
  Monday evening = "2026-08-24"
  31 April ! not_a_date
  5/13/ ! not_a_date
  Monday the 24th of September ! ambiguous`,
);
answers(
  'time',
  `
  eight = "20:00"
  at eight = "20:00"
  8 = "20:00"
  seven thirty = "19:30"
  half past seven = "19:30"
  quarter to nine = "20:45"
  a quarter past one = "13:15"
  twenty to six pm = "17:40"
  7 in the evening = "19:00"
  3 in the morning = "03:00"
  five in the afternoon = "17:00"
  noon = "12:00"
  midnight = "00:00"
  8 o'clock = "20:00"
  8 o'clock in the morning = "08:00"
  8:30 = "08:30"
  8:30 p.m. = "20:30"
  seventeen = "17:00"
  eight oh five = "20:05"
  12 am = "00:00"
  at five past eight = "20:05"
  tomorrow at eight = "08:00"
  in half an hour = "12:30"
  around eight ! not_a_time
  after 5pm ! not_a_time
  between 5 and 6 ! is_a_range
  25 ! not_a_time
  8:61 ! not_a_time
  13 am ! ambiguous
  tomorrow morning ! no_time
  8 8 ! ambiguous
  not eight ! not_a_time
  five to eight ! is_a_range
  2 to 3 pm ! is_a_range
  ten to eight = "19:50"
  1 second ! ambiguous
  8 a.m. p.m. ! ambiguous
  8 am in the morning = "08:00"
  8 am in the evening ! ambiguous`,
);
answers(
  'datetime',
  `
  tomorrow at eight = "2026-08-25T08:00:00Z"
  Friday at noon = "2026-08-28T12:00:00Z"
  9am = "2026-08-25T09:00:00Z"
  5pm = "2026-08-24T17:00:00Z"
  today at 5 = "2026-08-24T17:00:00Z"
  tonight at 8 = "2026-08-24T20:00:00Z"
  tomorrow morning at 9 = "2026-08-25T09:00:00Z"
  the 4th at 5:30 p.m. = "2026-09-04T17:30:00Z"
  Tuesday, September 1st, 2026 at 3 pm = "2026-09-01T15:00:00Z"
  Saturday the 29th at noon = "2026-08-29T12:00:00Z"
  may 5 10pm = "2027-05-05T22:00:00Z"
  12/31/2026 11:59 pm = "2026-12-31T23:59:00Z"
  2026-08-24T10:00+02:00 = "2026-08-24T08:00:00Z"
  5pm EST = "2026-08-24T22:00:00Z"
  in 90 minutes = "2026-08-24T13:30:00Z"
  in 2 days at 6pm = "2026-08-26T18:00:00Z"
  I can do tomorrow at 3 pm = "2026-08-25T15:00:00Z"
  Sunday at quarter past 3 in the afternoon = "2026-08-30T15:15:00Z"
  Monday at 9am = "2026-08-31T09:00:00Z"
  Monday at 5pm = "2026-08-24T17:00:00Z"
  today at 9am = "2026-08-24T09:00:00Z"
  tomorrow ! no_time
  Friday or Saturday at noon ! ambiguous
  tomorrow after 5 ! not_a_datetime
  Friday from 5 to 6 ! not_a_datetime
  tomorrow at 9 in the evening or so ! ambiguous
  not tomorrow at 9 ! not_a_datetime`,
);
answers(
  'email',
  `
  ada@example.com = "ada@example.com"
  It's ada@example.com. = "ada@example.com"
  you can reach me at ada@example.com any time = "ada@example.com"
  ada@example.com, please = "ada@example.com"
  send it to "Ada" <ada@example.com> = "ada@example.com"
  ADA@EXAMPLE.COM = "ADA@example.com"
  a.b+c@example.co.uk = "a.b+c@example.co.uk"
  yes, ada@example.com! = "ada@example.com"
  (ada@example.com) = "ada@example.com"
  my mail: ada@example.com = "ada@example.com"
  not ada@example.com ! not_an_email
  it isn't ada@example.com ! not_an_email
  anything except ada@example.com ! not_an_email
  never ada@example.com ! not_an_email
  ada@example.com and bob@example.com ! ambiguous
  ada@example.com instead of bob@example.com ! ambiguous
  ada at example dot com = "ada@example.com"
  ada@example ! not_an_email
  @ada ! not_an_email
  example.com ! not_an_email`,
);
answers(
  'phone',
  `
  (213) 373-4253 = "+12133734253"
  213-373-4253 = "+12133734253"
  213.373.4253 = "+12133734253"
  213 373 4253 = "+12133734253"
  2133734253 = "+12133734253"
  +1 213 373 4253 = "+12133734253"
  +49 30 901820 = "+4930901820"
  my number is 213 373 4253 = "+12133734253"
  you can call 213 373 4253, thanks = "+12133734253"
  it's (213) 373-4253. = "+12133734253"
  call me at +12133734253 please = "+12133734253"
  not 213 373 4253 ! not_a_phone_number
  it isn't 213 373 4253 ! not_a_phone_number
  213 373 4253 extension 12 ! ambiguous
  213 373 4253 or 213 373 4254 ! not_a_phone_number
  213 373 4253 after 5 ! not_a_phone_number
  911 ! not_a_phone_number
  12345 ! not_a_phone_number
  two one three ! not_a_phone_number
  none ! not_a_phone_number`,
  { defaultRegion: 'US' },
);
answers(
  'url',
  `
  example.com = "https://example.com"
  www.example.com = "https://www.example.com"
  example.co.uk/path?x=1 = "https://example.co.uk/path?x=1"
  https://example.com/a = "https://example.com/a"
  http://intranet.local = "http://intranet.local"
  it's example.com = "https://example.com"
  example.com, please = "https://example.com"
  it is https://example.com/x. = "https://example.com/x"
  example.com. = "https://example.com"
  EXAMPLE.com = "https://EXAMPLE.com"
  example.com:8080/x = "https://example.com:8080/x"
  not example.com ! not_a_url
  example.com or example.org ! ambiguous
  my friend has example.com ! not_a_url
  a.b ! not_a_url
  192.168.0.1 ! not_a_url
  co.uk ! not_a_url
  user@example.com ! not_a_url
  3.14 ! not_a_url
  etc. ! not_a_url
  localhost:3000 ! not_a_url`,
);
answers(
  'list',
  `
  tea = ["tea"]
  tea and milk = ["tea","milk"]
  tea, milk and sugar = ["tea","milk","sugar"]
  tea, milk, and sugar. = ["tea","milk","sugar"]
  tea; milk = ["tea","milk"]
  tea , milk = ["tea","milk"]
  rock and roll, jazz = ["rock and roll","jazz"]
  1, 2, 3 = ["1","2","3"]
  ["a", 1] = ["a",1]
  ["a and b"] = ["a and b"]
  sandy = ["sandy"]
  Tea AND milk = ["Tea","milk"]
  tea,,milk = ["tea","milk"]
  tea or milk = ["tea or milk"]
  tea! = ["tea"]
  [ ! not_a_list
  [] ! not_a_list
  , ! not_a_list
  . ! not_a_list
  ["a" ! not_a_list`,
);
answers(
  'json',
  `
  {"a":1} = {"a":1}
  [1,2] = [1,2]
  1 = 1
  1.5 = 1.5
  true = true
  null = null
  "\\"a\\"" = "a"
  {} = {}
  [] = []
  {"a":{"b":[1]}} = {"a":{"b":[1]}}
  {a:1} ! not_json
  {"a":1 ! not_json
  'a' ! not_json
  yes ! not_json
  undefined ! not_json
  NaN ! not_json
  [1,] ! not_json
  01 ! not_json
  {"a":1} please ! not_json
  it is 1 ! not_json`,
);
answers(
  'enum',
  `
  red = "red"
  Red. = "red"
  the red one = "red"
  the red one, please = "red"
  I'd like the red one = "red"
  I'll take crimson = "red"
  give me green = "green"
  it's green = "green"
  red, red = "red"
  light blue = "light blue"
  the light blue one = "light blue"
  dark red = "dark red"
  red or green ! not_a_choice
  not red ! not_a_choice
  anything but red ! not_a_choice
  redder ! not_a_choice
  the red and the green one ! not_a_choice
  blue ! not_a_choice
  infrared ! not_a_choice
  I don't like red ! not_a_choice
  red maybe ! not_a_choice
  the one ! not_a_choice
  redgreen ! not_a_choice`,
  { choices: [{ value: 'red', synonyms: ['crimson'] }, 'green', 'light blue', 'dark red'] },
);

describe('what puts right what was understood before', () => {
  answers(
    'date',
    `
    no, I said Friday = "2026-08-28"
    no I said Friday = "2026-08-28"
    No, Friday please = "2026-08-28"
    no no, I meant Friday = "2026-08-28"
    no, no, I meant Friday = "2026-08-28"
    sorry, I meant the 28th = "2026-08-28"
    no Friday ! not_a_date
    no, not Friday ! not_a_date
    I said no Friday ! not_a_date
    not Saturday, Friday = "2026-08-28"
    Friday instead of Saturday ! not_a_date`,
  );
  answers(
    'time',
    `
    no, make it eight o'clock = "20:00"
    no, I said half past seven = "19:30"`,
  );
  answers(
    'integer',
    `
    no, I said four = 4
    no, we are six = 6
    no, not four ! not_a_number
    no four ! not_a_number`,
  );
  answers(
    'boolean',
    `
    no, I said yes ! not_a_boolean
    I said no ! not_a_boolean`,
  );
  answers('enum', 'no, I meant the red one = "red"', {
    choices: ['red', 'green'],
  });
});
