// Facts of a language that the packages lack: how people answer yes and no, and which words of a
// number are optional.

export type BaseLanguageName = keyof typeof baseWords;

export interface BaseWords {
  readonly yes: string;
  readonly no: string;
  /** An optional word inside a number: "hundra och ett". */
  readonly and?: string;
  /** Words for one that are optional before `scales`: "ett hundra". */
  readonly one?: string;
  readonly scales?: string;
  /** Parts of a scale that precede the count: "साढ़े सात सौ" is 750. */
  readonly shares?: readonly (readonly [string, number])[];
}

/** Answers are separated by semicolons. The test checks that those of CLDR are among them. */
export const baseWords = {
  ar: { yes: 'نعم; أجل; ايوه; بلى; بالتأكيد; صحيح', no: 'لا; كلا; لا شكرا' },
  bn: { yes: 'হ্যাঁ; হাঁ; জি; জি হ্যাঁ; ঠিক আছে', no: 'না; জি না; না ধন্যবাদ' },
  cs: {
    yes: 'ano; jo; jasně; určitě; samozřejmě; ano prosím; správně',
    no: 'ne; nikoli; ne děkuji; určitě ne',
  },
  da: {
    yes: 'ja; jo; ja tak; jep; selvfølgelig; det er rigtigt',
    no: 'nej; nej tak; nix',
    and: 'og',
    one: 'et en ét én',
    scales: 'hundrede hundred tusind tusinde',
  },
  el: { yes: 'ναι; μάλιστα; βέβαια; σωστά; ναι παρακαλώ', no: 'όχι; όχι ευχαριστώ' },
  fa: { yes: 'بله; آری; آره; درست است; حتما', no: 'نه; خیر; نخیر; نه ممنون' },
  fi: { yes: 'kyllä; joo; juu; kyllä kiitos; totta kai; oikein', no: 'ei; ei kiitos; en' },
  he: { yes: 'כן; בטח; נכון; בסדר; כן בבקשה', no: 'לא; לא תודה' },
  hi: {
    yes: 'हाँ; हां; जी; जी हाँ; हाँ जी; सही; ठीक है',
    no: 'नहीं; नही; जी नहीं; ना',
    one: 'एक',
    scales: 'सौ हज़ार',
    shares: [
      ['सवा', 0.25],
      ['साढ़े', 0.5],
      ['पौने', -0.25],
    ],
  },
  hu: { yes: 'igen; persze; természetesen; rendben; igen kérem', no: 'nem; nem köszönöm' },
  id: {
    yes: 'ya; iya; betul; benar; tentu; ya betul',
    no: 'tidak; bukan; nggak; enggak; tidak terima kasih',
  },
  ja: {
    yes: 'はい; ええ; うん; そうです; はいそうです; お願いします; はいお願いします',
    no: 'いいえ; いや; 違います; いいえ違います; 結構です',
  },
  ko: {
    yes: '예; 네; 응; 맞아요; 네 맞아요; 맞습니다; 그렇습니다',
    no: '아니요; 아니오; 아뇨; 아닙니다; 아니',
  },
  nb: {
    yes: 'ja; jo; jepp; ja takk; selvfølgelig; det stemmer',
    no: 'nei; nei takk',
    and: 'og',
    one: 'ett et en én',
    scales: 'hundre tusen',
  },
  pl: {
    yes: 'tak; no; jasne; oczywiście; zgadza się; tak proszę; owszem',
    no: 'nie; nie dziękuję',
    one: 'jeden',
    scales: 'tysiąc',
  },
  ro: { yes: 'da; sigur; desigur; corect; da vă rog', no: 'nu; nu mulțumesc; ba nu' },
  ru: {
    yes: 'да; ага; конечно; верно; правильно; да пожалуйста',
    no: 'нет; не; нет спасибо',
    one: 'одна',
    scales: 'тысяча',
  },
  ta: { yes: 'ஆம்; ஆமாம்; சரி', no: 'இல்லை; வேண்டாம்', one: 'ஒரு ஓர் ஓராயிரம்', scales: 'ஆயிரம் நூறு' },
  th: { yes: 'ใช่; ใช่ค่ะ; ใช่ครับ; ค่ะ; ครับ; ได้', no: 'ไม่; ไม่ใช่; ไม่ใช่ค่ะ; ไม่ใช่ครับ; ไม่ค่ะ; ไม่ครับ' },
  tr: {
    yes: 'evet; tabii; tabii ki; doğru; olur; tamam; evet lütfen',
    no: 'hayır; hayir; yok; hayır teşekkürler',
  },
  uk: {
    yes: 'так; ага; звичайно; звісно; правильно; так будь ласка',
    no: 'ні; ні дякую',
    one: 'одна',
    scales: 'тисяча',
  },
  vi: { yes: 'có; vâng; dạ; đúng; phải; đúng rồi; dạ vâng', no: 'không; không phải; không cảm ơn' },
  zh: {
    yes: '是; 是的; 对; 对的; 好; 好的; 确定; 没错; 嗯; 可以',
    no: '不; 不是; 否; 否定; 不对; 没有; 不用; 不要',
  },
} as const satisfies Record<string, BaseWords>;
