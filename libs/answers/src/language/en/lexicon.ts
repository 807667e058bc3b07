// English.
import { counted, tensAndUnits } from '../spell.ts';
import type { Lexicon } from '../language.ts';

const units = 'one two three four five six seven eight nine';
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety';
const ordinalUnits = 'first second third fourth fifth sixth seventh eighth ninth';

export const en: Lexicon = {
  numbers: {
    small: [
      ...counted(
        `zero ${units} ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen`,
      ),
      ...tensAndUnits(tens, units, (ten, unit) => [`${ten} ${unit}`]),
    ],
    hundred: 'hundred',
    bareScale: false,
    scales: [
      ['thousand', 1e3],
      ['million', 1e6],
      ['billion', 1e9],
      ['trillion', 1e12],
    ],
    and: 'and',
    minus: 'minus; negative',
    point: 'point; dot',
    groupedDecimals: false,
    one: 'a; an',
    ordinals: [
      ...counted(
        `${ordinalUnits} tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`,
        1,
      ),
      ...tensAndUnits('twenty', ordinalUnits, (ten, unit) => [`${ten} ${unit}`]).slice(1),
      ['thirtieth', 30],
      ['thirty first', 31],
    ],
    ordinalSuffixes: 'st; nd; rd; th',
  },
  fillers:
    'please; thanks; thank you; [yes] please; yes; yeah; yep; ok; okay; sure; alright; well; um; uh; hm; er; hello; hi; so; just;' +
    `(it is|it's|its) [going to be]; (it would|it'd) be; that is; that's; that would be; that'd be; make it; let's say; i think;` +
    `(i would|i'd) (like|prefer) [to (have|book|reserve|order|take)]; (we would|we'd) (like|prefer) [to (have|book|reserve|order|take)];` +
    `(i|we) (want|need|prefer|choose|pick|mean|meant); (i will|i'll|we will|we'll) (take|have|go (with|for)); (can|could) (i|we) (have|get);` +
    'give me; book me; my answer is; the answer is; actually',
  numberFillers:
    `(i am|i'm|im|he is|he's|she is|she's|we are|we're|they are|they're|there are|there's|there is); there will be;` +
    'i have; we have; i turned; aged; age; my age is; the number is; number; of us; of them; in total; a table for; table for; a party of; party of; only; exactly',
  corrections: "no ,; no [,] (i|we) (said|mean|meant); (i|we) said; sorry; (i am|i'm) sorry",
  groups: [],
  idiomDays: [],
  ages: '{n} (years|year) old; {n} years of age',
  choiceFillers: 'the; a; an; one; ones; some; my choice is; my favorite is; option; only; in',
  momentGlue: 'on; at; the; in; for; of',
  momentFillers: `my (birthday|birth date|date of birth|appointment) is; i was born; born; see you; i am; (i|we) can (come|do|make it); (i am|i'm|we are|we're) (free|available); works [for me]; is (fine|good|ok|okay|great|perfect); (would be|is) (fine|good|great|perfect|best|better); sharp; exactly; date; time`,
  yes:
    'yes; y; yeah; yea; yep; yup; yah; sure [thing]; ok; okay; correct; right; true; affirmative; on; 1; of course; absolutely; definitely; certainly; exactly; indeed; agreed; perfect; alright; all right;' +
    `(that is|that's|thats|it is|it's|its) (right|correct|true|fine|good|ok|okay|perfect|me|it); yes please; yes thanks; yes thank you; go ahead; sounds good; why not; you bet; for sure; by all means;` +
    '(yes|yeah|yep|yup|sure) (it is|it does|it was|i do|i am|i did|i have|i can|i will|i would|we do|we are|we did|we have|we can|we will|he is|she is|they are|there is|there are|that is|you can|you may); i do; i am; it is; we do; we are; i will; please do; i agree; i confirm; confirmed',
  no:
    `no; n; nope; nah; naw; incorrect; wrong; false; negative; off; 0; not really; no (thanks|thank you); not at all; never; absolutely not; definitely not; certainly not; of course not; not (right|correct|true|ok|okay|yet|now|today); no way; not for me;` +
    `(that is|that's|thats|it is|it's|its) (not (right|correct|true|fine|good|ok|okay|me|it)|wrong|incorrect|false); (that|it) isn't (right|correct|true|me|it); (i don't|i do not|we don't|we do not|i'm not|i am not|we're not|we are not|it isn't|it is not|it's not|it doesn't|it does not|i can't|i cannot|we can't|i won't|i will not|i haven't|i have not|i didn't|i did not|please don't|don't|do not);` +
    `i don't (think so|want (to|that|it)); i disagree; not that i know of`,
  eitherWay: `(everyone|everybody|everything|all) is (fine|ok|okay|good|well|safe|alright|all right); everyone's fine; everything's (fine|ok|okay|good); (we are|we're|i am|i'm) (all) (fine|good|ok|okay|safe|well|alright); (we are|we're|i am|i'm) (fine|good|ok|okay|safe|well|alright); all good; that is all; that's all; sir; madam; ma'am; mate; thats all`,
  negations: `not; isn't; aint; ain't; don't; doesn't; wasn't; never; neither; nor; except; without; instead of; rather than`,
  and: 'and',
  names: {
    months: [
      ...['january; jan', 'february; feb', 'march; mar', 'april; apr', 'may', 'june; jun', 'july; jul'],
      ...['august; aug', 'september; sept; sep', 'october; oct', 'november; nov', 'december; dec'],
    ],
    weekdays: [
      ...['monday; mon', 'tuesday; tues; tue', 'wednesday; weds; wed', 'thursday; thurs; thur; thu'],
      ...['friday; fri', 'saturday; sat', 'sunday; sun'],
    ],
    units: [
      ...['second; seconds; sec; secs', 'minute; minutes; min; mins', 'hour; hours; hr; hrs', 'day; days'],
      ...['week; weeks; wk; wks', 'month; months', 'year; years; yr; yrs'],
    ],
    parts: [
      'am',
      'pm',
      'morning; in the morning',
      'afternoon; in the afternoon',
      'evening; in the evening',
      'at night; in the night; night',
    ],
    quarter: '[a] quarter',
    half: 'half',
    threeQuarters: 'three quarters',
    oh: 'oh; o; zero',
  },
  moments: {
    today: 'today',
    tomorrow: 'tomorrow; tmr; tmrw; tomorow',
    yesterday: 'yesterday',
    overmorrow: '[the] day after tomorrow',
    ereyesterday: '[the] day before yesterday',
    now: '[right] now',
    thisMorning: 'this morning',
    thisAfternoon: 'this afternoon',
    tonight: 'tonight; this evening',
    weekday: '{weekday}; [the] coming {weekday}',
    thisWeekday: 'this [coming] {weekday}; {weekday} this week',
    nextWeekday: 'next {weekday}; {weekday} [of] next week; next week [on] {weekday}',
    lastWeekday: '(last|past) {weekday}',
    dayMonth: '[the] {d} [of] {month} [,] [[of] {year}]; {d} - {month} [- {year}]',
    monthDay: '{month} [the] {d} [,] [[of] {year}]',
    dayOnly: 'the {d}; {ordinal}; on the {d}',
    dayThisMonth: '[on] [the] {d} of this month; this month on the {d}',
    dayNextMonth: '[on] [the] {d} of [the] (next|coming) month; next month on the {d}',
    dayLastMonth: '[on] [the] {d} of last month; last month on the {d}',
    lastNight: 'last night; yesterday (night|evening)',
    weekdayLastWeek: '{weekday} [of] last week; last week [on] {weekday}',
    unitsFromTomorrow: '{n} {unit} from tomorrow; tomorrow in {n} {unit}',
    unitsFromOvermorrow: '{n} {unit} from the day after tomorrow',
    unitsFromYesterday: '{n} {unit} from yesterday',
    vague:
      '(this|next|last) (month|year|weekend); (this|next|last) week; [in] {month} [{year}]; [the] end of [the] (month|week|year); weekend',
    inUnits: 'in {n} {unit}; {n} {unit} (from now|later|from today)',
    inTwoUnits: 'in {n} {unit} [and] {n} {unit}',
    inHalfHour: 'in half an hour; half an hour from now',
    unitsAgo: '{n} {unit} ago',
    noon: '[at] (noon|midday); (12|twelve) noon',
    midnight: '[at] midnight; (12|twelve) midnight',
    hour: `[at] {h} o'clock [{part}]; [at] {h} oclock [{part}]; at {h}`,
    hourPart: '[at] {h} {part}',
    hourMinute: 'at {h} {mm}; {h} {mm} hours',
    hourMinutePart: '[at] {h} [: | .] {mm} {part}; [at] {h} (and|hours) {m} [minutes] {part}',
    dotted: '[at] {dotted} {part}; at {dotted}; {dotted} hours; {compact} {part}',
    military: '{military} (hours|hrs|h)',
    past: "{m} [minutes|mins|minute] (past|after) {h} [o'clock] [{part}]",
    to: "{m} (minutes|mins|minute) (to|till|before) {h} [o'clock] [{part}]; {m} (before|of) {h} [{part}]",
    toOrRange: "{m} (to|till) {h} [o'clock] [{part}]",
    pastNoon: '{m} [minutes|minute] (past|after) (noon|midday)',
    pastMidnight: '{m} [minutes|minute] (past|after) midnight',
    toNoon: '{m} [minutes|minute] (to|till|before) (noon|midday)',
    toMidnight: '{m} [minutes|minute] (to|till|before) midnight',
    or: 'or',
    range: 'to; until; till; through; thru; -; between; and',
  },
};
