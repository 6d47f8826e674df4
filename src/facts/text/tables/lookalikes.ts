// Written by `node scripts/text-tables.ts` from unhomoglyph 1.0.6 (MIT). Do not edit.

/** Each ASCII letter, followed by letters that look like it. */
// prettier-ignore
export const lookalikeTable =
  "AΑАᎪᗅꓮ𐊠𖽀 BΒВᏴᗷꓐꞴ𐊂𐊡𐌁 CСᏟⲤꓚ𐊢𐌂𐐕𐔜 DᎠᗞᗪꓓ EΕЕᎬⴹꓰ𐊆𑢦𑢮 FϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂 GԌᏀᏳꓖ HΗНᎻᕼⲎꓧ𐋏 IƖΙІӀⲒ JͿЈᎫᒍꓙꞲ KΚКᏦᛕⲔꓗ𐔘 LᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖 MΜϺМᎷᗰᛖⲘꓟ𐊰𐌑 NΝⲚꓠ𐔓 OΟОՕଠዐⲞⵔꓳ𐊒𐊫𐐄𐓂𐔖𑢵 PΡРᏢᑭⲢꓑ𐊕 Qⵕ RƦᎡᏒᖇꓣ𐒴𖼵 SЅՏᏕᏚꓢ𐊖𐐠𖼺 TΤТᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊 UՍሀᑌꓴ𐓎𑢸𖽂 VѴᏙᐯⴸꓦꛟ𐔝𑢠𖼈 WԜᎳᏔꓪ XΧХᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧 YΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃 ZΖᏃꓜ𑢩 aɑαаᴀ bƄʙЬᏏᑲᖯ cсᴄⲥꮯ𐐽 dԁᏧᑯᴅꓒ eеҽᴇꬲ fքẝꜰꞙꬵ gƍɡɢցᶃ hʜһհᏂ iɩɪιіӏᎥꙇꭵ𑣃 jϳјᴊ kᴋ lǀʟוןاߊᛁⵏꓲ𐊊𐌉𖼨 mᴍ𑜀 nɴոռ oοσоօסهھہەഠဝჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗 pρрᴘⲣ qԛգզꞯ rʀгᴦⲅꭇꭈꮁ sƽѕꜱꮪ𐑈𑣁 tᴛ uʋυսᴜꞟꭎꭒ𐓶𑣘 vνѵטᴠꮩ𑜆𑣀 wɯѡԝաᴡꮃ𑜊𑜎𑜏 xхᕁᕽ yɣʏγуүყᶌỿꭚ𑣜 zᴢꮓ𑣄";
