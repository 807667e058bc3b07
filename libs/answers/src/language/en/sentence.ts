// English: words that change a value in a sentence, and words that do not.
import type { SentenceWords } from '../sentence-words.ts';

export const enSentence: SentenceWords = {
  changes:
    `not; n't; no; none; nothing; nobody; never; neither; nor; without; except; excluding; instead; rather than; hardly; cannot; cant; dont; didnt; doesnt; isnt; wasnt; wont; (don|didn|doesn|isn|wasn|aren|weren|won|can|couldn|wouldn|shouldn|haven|hasn) (t|'t); refuse; cancel; cancelled;` +
    `or; either; between; versus; any; anytime; whichever; whatever; whenever; alternatively; depends; depending; both; ` +
    `about; around; approximately; approx; roughly; ish; nearly; almost; circa; maybe; perhaps; possibly; probably; might; somewhere; sometime; some time; some point; a couple; couple; a few; few; several; dozen; dozens; pair; pairs; half; some; or so; plus; minus; kind of; sort of; guess; unsure; hopefully; like; give or take; close to; next to; just over; just under; a bit; nearest; times; twice; once; double;` +
    `every; each; daily; weekly; monthly; yearly; always; usually; often; per; everyday; mondays; tuesdays; wednesdays; thursdays; fridays; saturdays; sundays; mornings; evenings; nights; weekdays; weekends;` +
    `if; unless; whether; in case; provided; otherwise; except; assuming; suppose; could; would have; should; used to; wish; but; although; only if; though; another; more; extra; additional; last time; next time; of the month; of the year; of (that|the) week; week (on|from); fortnight; second last; anniversary; eve; something`,
  limits: `before; after; until; till; til; from; since; by; past; earlier; later; sooner; starting; beginning; onwards; onward; through; within; at least; at most; (more|less|fewer|later|earlier|better|other|rather) than; under; over; above; below; up to; minimum; maximum; max; min; no later; following; prior; during; middle; mid; end of; start of; beginning of; part of; rest of`,
  meals: 'breakfast; brunch; lunch; lunchtime; dinner; dinnertime; supper; teatime',
  particles: '',
  denials: `not; not on; not at; not the`,
  questions: `what; what's; whats; when; when's; where; which; who; whose; why; how; tell me; wondering; wonder; ask; asking; know; do you; are you; can you; could you; would you; will you; is there; are there; is it; may i ask`,
  questionOpenings:
    '(can|could|may|might|shall|should|would|will|do|does|did|is|are|was|were|has|have|had|am) (i|we|you|it|he|she|they|there|this|that|the|my|our|your|anyone|somebody); any',
  repairs:
    'no wait; wait; wait no; no no; oh no; oh wait; actually no; no actually; actually; sorry; oh sorry; no sorry; sorry no; i mean; i meant; no i mean; no i meant; make that; make it; no make (it|that); scratch that; correction; or rather; rather; let me correct (that|myself); i was wrong; hold on; no hold on; hang on; my mistake; excuse me; i take that back; better; no better',
  plainYes: 'yes; yeah; yep; yup; yea; yah',
  plainNo: 'no; nope; nah',
  contrasts: 'but; but rather; rather; but on; instead',
  greetings:
    'good (morning|afternoon|evening|day|night); have a (nice|good|great) (day|evening|weekend); hi there; hello there; good morning to you; thank you so much; thanks a lot; thank you very much',
  small:
    'in; on; at; of; for; to; with; and; an; the; this; that; is; was; were; are; am; be; been; will; would; i; we; he; she; it; you; they; me; us; him; her; my; our; their; his; here; there; please; thanks; thank; then; now; so; too; total; altogether; all; just; only; exactly; because; as; when; works; work; good; fine; great; perfect; ok; okay; today; tonight; tomorrow; yesterday; actually; if; into; out; off; down; back; again; already',
  people:
    '(of us|of them|people|persons|person|adults|adult|guests|guest|travelers|travellers|passengers|passenger|visitors|diners|friends|folks|pax|men|women|individuals|attendees); people in total; in our party; in my group; in my party',
  labels:
    'room; rooms number; number; no; flight; gate; page; section; chapter; street; highway; route; bus; line; floor; level; apartment; apt; suite; seat; row; terminal; platform; channel; version; step; option; table number; case; claim; policy; account; order; ticket; reference; booking; pin; code; extension; zip; building; house; unit; lot; box; model; iphone; windows; bmw; audi; unit; exit; pier; dock; bay; door; area; district; zone; class; grade; part; type; size; season; episode; volume; act; article; road; interstate; i; us; a',
  articles: 'one',
  dayWords:
    "quarter; night; nights; nite; morning; evening; afternoon; noon; midday; midnight; dawn; dusk; sunrise; sunset; am; pm; o'clock; oclock; hours; hrs; minutes; minute; sharp night",
  doubtful: 'sat; sun; mon; wed; thu; fri; tue; may; march; second; sec; mar; dec',
  dayPrepositions: 'on; for',
  feasts:
    '(good|black|holy|big|casual|freaky|tgi|girl) friday; ruby tuesday; sunday (best|school|roast|league|paper|papers|times|driver|drivers|clothes|market|mass); saturday (job|school|night live|night fever); monday (blues|night football); friday (prayer|prayers|feeling); (easter|whit|cyber|blue) monday; (shrove|fat|super|giving) tuesday; ash wednesday; (holy|maundy) thursday; (easter|palm|super bowl|mothering) sunday; holy saturday; (first|second|third|fourth|fifth) (monday|tuesday|wednesday|thursday|friday|saturday|sunday)',
  buts: 'but; however; although; though; except; unless; or; maybe; perhaps; if; depends; not sure; and no; and yes; partly; sort of; kind of; in part',
  undecided:
    "no (idea|clue|problem|doubt|worries|one|matter|more|less|longer|wonder|way of knowing); not sure; i (don't|do not) know; don't know; dunno; i'm not sure; can't say; yes and no; no and yes; who knows",
  requests:
    '(can|could|may|might) (i|we|you) [please] [also] [help me] (book|reserve|make|get|arrange|schedule|have|put|change|move) [me|us|it|that]; (would|will) you [please] (book|reserve|make|arrange|schedule) [me|us|it]; (is|would) it [be] possible to (book|reserve|get|make|have)',
  corrects: 'but; but on; rather; make (it|that); (i|we) (said|mean|meant); it should (be|say); change it to',
  past: 'was; were; had; went; came; ate; lost; left; forgot; happened; missed; paid; visited; stayed',
  parties:
    "table for; (party|group) of; we are; we're; there are; there will be; there'll be; it will be; it'll be",
};
