// Numbers as people say them in the base languages, beside what CLDR and n2words write:
// `words=value`, separated by semicolons.
export const spokenNumbers = {
  pl: [
    'dwadzieścia jeden=21; dwie=2; dwa=2; dwóch=2; sto dwadzieścia trzy=123; dwa tysiące pięć=2005',
    'tysiąc=1000; trzydzieści pięć=35; jedna=1; pięćset=500; dziewięćset dziewięćdziesiąt dziewięć=999; sto jeden=101',
    'pięć tysięcy=5000; czworo=4; dwoje=2',
  ],
  da: [
    'enogtyve=21; halvtreds=50; femoghalvtreds=55; et hundrede=100; ethundrede=100; hundrede og et=101',
    'to hundrede og fem=205; to tusind og fem=2005; tyve=20; tres=60; fire=4; fireogfirs=84',
    'et tusind=1000; hundrede treogtyve=123; en og tyve=21; halvfjerds=70; tusind=1000',
  ],
  nb: [
    'tjueen=21; tjue en=21; én=1; sju=7; syv=7; tjue=20',
    'tyve=20; tretti=30; tredve=30; hundre og tjuetre=123; to tusen og fem=2005; ett hundre=100',
    'tusen=1000; femtifem=55; enogtyve=21; to=2; femti=50',
  ],
  fi: [
    'kaksikymmentäyksi=21; kaksikymmentä yksi=21; sata=100; satakaksikymmentäkolme=123; kaksituhatta viisi=2005; tuhat=1000',
    'viisi=5; kolmekymmentäviisi=35; sata yksi=101; kahdeksan=8; kaksikytyksi=21; yksi=1',
    'kolme=3',
  ],
  cs: [
    'dvacet jedna=21; dvacet jeden=21; dvě=2; dva=2; pětadvacet=25; sto dvacet tři=123',
    'dva tisíce pět=2005; tisíc=1000; jednadvacet=21; dvě stě=200; pět set=500; třicet pět=35',
    'jedna=1; sto=100',
  ],
  ro: [
    'douăzeci și unu=21; douăzeci și una=21; două=2; doi=2; o sută=100; o sută douăzeci și trei=123',
    'două mii cinci=2005; o mie=1000; treizeci şi cinci=35; douăzeci si unu=21; cinci sute=500; una=1',
    'unsprezece=11; treizeci și cinci=35',
  ],
  hu: [
    'huszonegy=21; kettő=2; két=2; száz=100; egyszáz=100; százhuszonhárom=123',
    'kétezer-öt=2005; kétezeröt=2005; kettőszáz=200; kétszáz=200; ezer=1000; harmincöt=35',
    'egy=1; ezer kilencszáz=1900',
  ],
  tr: [
    'yirmi bir=21; yirmibir=21; yüz=100; yüz yirmi üç=123; iki bin beş=2005; bin=1000',
    'otuz beş=35; beş=5; iki=2; yüzbir=101; elli=50; dokuz yüz doksan dokuz=999',
  ],
  uk: [
    'двадцять один=21; двадцять одна=21; дві=2; два=2; сто двадцять три=123; дві тисячі п’ять=2005',
    "тисяча=1000; п'ять=5; тридцять пять=35; одна тисяча=1000; двісті=200; двоє=2",
    'сто один=101',
  ],
  el: [
    'είκοσι ένα=21; είκοσι μία=21; δύο=2; δυο=2; εκατό=100; εκατόν είκοσι τρία=123',
    'δύο χιλιάδες πέντε=2005; χίλια=1000; τριάντα πέντε=35; ενα=1; τρεις=3; πεντε=5',
    'εφτά=7; οχτώ=8; εννιά=9; επτά=7; ΠΕΝΤΕ=5',
  ],
  fa: [
    'بیست و یک=21; دو=2; صد=100; صد و بیست و سه=123; دو هزار و پنج=2005; هزار=1000',
    'سی و پنج=35; یک=1; پنجاه=50; یکصد=100; بیست و یکی=21; پانصد=500',
  ],
  bn: [
    'একুশ=21; দুই=2; একশো=100; একশ=100; এক হাজার=1000; পঁয়ত্রিশ=35',
    'পাঁচ=5; দশ=10; এক শত তেইশ=123; একশো তেইশ=123; দু হাজার পাঁচ=2005; দুই হাজার পাঁচ=2005',
  ],
  ta: [
    'இருபத்தி ஒன்று=21; இருபத்து ஒன்று=21; இருபத்தொன்று=21; இரண்டு=2; நூறு=100; ஆயிரம்=1000',
    'ஐந்து=5; பத்து=10; முப்பத்தி ஐந்து=35; நூற்று இருபத்து மூன்று=123; இரண்டாயிரத்து ஐந்து=2005',
  ],
  id: [
    'dua puluh satu=21; dua=2; seratus=100; seratus dua puluh tiga=123; dua ribu lima=2005; seribu=1000',
    'tiga puluh lima=35; satu=1; lima ratus=500; sebelas=11; se ratus=100; delapan=8',
  ],
  th: [
    'ยี่สิบเอ็ด=21; สอง=2; หนึ่งร้อย=100; ร้อย=100; หนึ่งร้อยยี่สิบสาม=123; สองพันห้า=2005',
    'พัน=1000; สามสิบห้า=35; ร้อยเอ็ด=101; หนึ่งร้อยหนึ่ง=101; ห้าร้อย=500; สิบเอ็ด=11',
  ],
  hi: [
    'इक्कीस=21; दो=2; सौ=100; एक सौ तेईस=123; दो हजार पांच=2005; दो हज़ार पाँच=2005',
    'हजार=1000; पैंतीस=35; पांच=5; छह=6; छः=6; पाँच सौ=500',
    'डेढ़ सौ=150; ढाई सौ=250',
  ],
  ar: [
    'واحد وعشرون=21; واحد وعشرين=21; اثنان=2; اثنين=2; مئة=100; مية=100',
    'مائة=100; مئة وثلاثة وعشرون=123; ألفان وخمسة=2005; ألف=1000; خمسة وثلاثون=35; ثلاثة=3',
    'ثلاث=3; خمسمئة=500; عشرين=20; خمسين=50',
  ],
  he: [
    'עשרים ואחת=21; עשרים ואחד=21; שתיים=2; שניים=2; שני=2; מאה=100',
    'מאה עשרים ושלוש=123; אלפיים וחמש=2005; אלף=1000; שלושים וחמש=35; אחד=1; חמש מאות=500',
  ],
  ru: [
    'двадцать один=21; двадцать одна=21; две=2; два=2; сто двадцать три=123; две тысячи пять=2005',
    'тысяча=1000; тридцать пять=35; двое=2; четверо=4; двести=200; сто один=101',
    'пятеро=5',
  ],
  ja: [
    '二十一=21; にじゅういち=21; 百=100; 百二十三=123; 二千五=2005; 千=1000',
    '三十五=35; ゼロ=0; 五=5; ひとり=1; ふたり=2',
  ],
  ko: [
    '이십일=21; 스물하나=21; 스물한=21; 둘=2; 두=2; 백=100',
    '백이십삼=123; 이천오=2005; 천=1000; 삼십오=35; 셋=3; 세=3',
    '다섯=5; 열=10; 열하나=11; 서른=30; 서른다섯=35',
  ],
  vi: [
    'hai mươi mốt=21; hai mốt=21; hai=2; một trăm=100; một trăm hai mươi ba=123; hai nghìn không trăm lẻ năm=2005',
    'hai ngàn lẻ năm=2005; một ngàn=1000; ba mươi lăm=35; ba lăm=35; năm=5; mười một=11',
  ],
  zh: [
    '二十一=21; 两=2; 二=2; 一百=100; 一百二十三=123; 两千零五=2005',
    '二千零五=2005; 一千=1000; 三十五=35; 一百零一=101; 两百=200; 廿一=21',
    '十=10; 一百一=110',
  ],
} as const;
