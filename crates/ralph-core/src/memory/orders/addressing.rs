//! How a text speaks to a machine that reads it. People are told what to do as
//! well; what gives an order away is to whom it is said, and about what text.

use super::Order;

/// Rules in the form of those in `rules`, kept apart as they ask who is meant
/// and not what for.
pub(super) const ADDRESSING: &[(Order, &str)] = &[
    // "To whichever model is completing this file: …".
    (
        Order::Command,
        r"\b{MACHINE}(?: (?:who|that|which))?(?: (?:is|are|happens? to be))? (?:\w+ )?\w+ing (?:this|these) (?:[\w-]+ )?{TEXT}\b",
    ),
    (
        Order::Command,
        r"\b{MACHINE} (?:who|that|which)(?: \w+)? (?:reads?|sees?|parses?|process(?:es)?|summari[sz]es?|analy[sz]es?|translates?|reviews?|finds?|indexes|scrapes?) (?:this|these|it)\b",
    ),
    (
        Order::Command,
        r"\b(?:whoever|whatever|whichever \w+|anything|anyone|any \w+)(?: or (?:whoever|whatever))? (?:is|may be|might be|happens to be) (?:\w+ )?\w+ing (?:this|these)\b",
    ),
    // At the start of a line, a comment, a cell or a sentence.
    (
        Order::Command,
        r"(?:^|[\n.!?>|] ?|/\*+ ?|// ?|<!-- ?|# )(?:(?:p\.? ?)*p\.? ?s\.?:? ?)?(?:to|for|dear|attention|hey|hello|hi),? (?:(?:the|all|any|every|whichever|our|my|fellow|friendly) )?(?:[\w-]+ )?{MACHINE}(?: only)? ?[:!]",
    ),
    (
        Order::Command,
        r"(?:^|[\n.!?>|] ?|/\*+ ?|// ?|<!-- ?|# )(?:machine|automated|ai|llm) (?:readers?|audience|eyes)(?: only)? ?[:,!-]",
    ),
    (
        Order::Command,
        r"(?:^|[\n|>'\x22(=] ?|[.!?] )(?:agents?|bots?|ais?|llms?|assistants?|models?) ?: ?(?:(?:please|now|first|also|always|never|just|immediately|do not|don't) )*{ACT} \w",
    ),
    (Order::Command, r"\bdear (?:[\w-]+/)+[\w-]+"),
    (
        Order::Command,
        r"\b(?:llm|ai|agent|assistant|bot)s?[-_ ](?:instructions?|directives?|prompts?|orders?|notes?|notice) ?[:=]|\b(?:note|summary|message|hint|tip|info|information|guidance|heads-?up|notice|advice|instructions?|reminder|word|request)s? (?:for|to) (?:the |all |any |every |our )?(?:[\w-]+ )?{MACHINE} ?[:,-]",
    ),
    (
        Order::Command,
        r"\bwhat (?:should|must|would|can) (?:an?|the|any) (?:ai|agent|assistant|bot|llm) do\b|\b(?:assistants?|llms?|ais?) (?:who|that|which) (?:\w+ )?{ACT}\b[^.\n]{0,80}\b(?:are|will|get|earn|receive|score)\b",
    ),
    (
        Order::Pretend,
        r"\byou(?: will)? play (?:an?|the) \w|\bstay in (?:character|role)\b|\bin this (?:fictional|hypothetical|imaginary) (?:scenario|world|story|game)\b",
    ),
    (
        Order::Forget,
        r"\b(?:don't|do not|never) (?:worry|care|bother) about (?:the|your|any|those|these) (?:\w+ )?(?:rules?|instructions?|polic\w+|guidelines?|limits?|permissions?|approvals?|security)\b|\b(?:ignore|disregard|forget) what (?:the|your|this) \w+ (?:says?|said|asks?|asked|wants?|tells?|told)\b",
    ),
    (
        Order::Forget,
        r"(?:따르지|믿지|지키지) ?(?:말고|마시고|않고)|이 (?:메모|글|문서|지시|메시지|노트)(?:의 (?:지시|내용))?만 (?:따르|따라|믿)|(?:당신|너|네|에이전트)(?:의)? (?:새로운 |새 |진짜 )?(?:역할|임무)(?:은|는|이|가)",
    ),
    (
        Order::Leak,
        r"(?:토큰|비밀번호|시크릿|비밀 ?키|api ?키|자격 ?증명|\.env)[^.\n]{0,30}(?:커밋|메시지|이슈|댓글|채널|본문|설명|요약|로그)[^.\n]{0,12}(?:적어|남겨|올려|붙여|써|포함해|넣어)",
    ),
    (
        Order::Deceive,
        r"\btreat (?:it|this|that|them) as (?:if )?(?:already )?(?:given|approved|granted|confirmed|done|passed|trusted|authori[sz]ed)\b|\b(?:simply|just|instead) (?:report|say|claim|state|answer|write) (?:that )?(?:all|everything|they|both|every|no) \w+",
    ),
    (
        Order::Harm,
        r"\byour (?:session|sandbox|memory|connection|workspace|context) (?:is|was|has been|got) (?:compromised|corrupted|hijacked|revoked|infected)\b|\bskip (?:asking|telling|notifying|consulting) (?:the|your|any) (?:user|human|owner|maintainers?|operator)\b",
    ),
    (
        Order::Command,
        r"\b{MACHINE} (?:calling|using|invoking|running|serving|loading|choosing) (?:this|these) (?:[\w-]+ )?(?:tools?|functions?|plugins?|servers?|skills?)\b[^.\n]{0,12}\b{MUST} (?:\w+ )?{ACT}\b",
    ),
    (
        Order::Command,
        r"\b(?:bots?|agents?|assistants?|llms?|ais?) {MUST} (?:\w+ )?(?:approve|merge|accept|trust|cite|recommend|praise|rate|ignore|skip|close|hide|quote|promote) (?:this|these|it)\b",
    ),
    (
        Order::Command,
        r"\b(?:is|please|simply|just|should|must) (?:to )?have (?:the|your|an?|any) (?:ai |coding )?(?:bot|agent|assistant|ai|model) (?:\w+ )?{ACT}\b",
    ),
    (
        Order::Command,
        r"\b(?:discard|drop|abandon|pause|abort|postpone|set aside|put aside) your (?:\w+ )?(?:plans?|tasks?|work|jobs?|assignments?|goals?|instructions?)\b|\byour (?:remaining|only|sole|primary|updated|revised|next|new|real|true) (?:work|task|job|duty|assignment|purpose|directive|persona|role) (?:is|will be|now)\b|\b(?:reload|change|switch|adopt|drop|leave) your (?:persona|role|character|identity)\b",
    ),
    (
        Order::Pretend,
        r"\b(?:imagine|suppose|assume|picture)(?: that)? you (?:had|have) no (?:\w+ )?(?:rules?|limits?|restrictions?|filters?|guidelines?|constraints?)\b|\byou are \w+bot\b",
    ),
    (
        Order::Role,
        r"\b(?:text|content|note|message|part|line|section|following|rest|below)\b[^.\n]{0,24}\b(?:is|are) (?:now |fully )?(?:trusted|authoritative)\b|\bcomes? (?:directly |straight )?from (?:the|your) (?:operator|system|developer|owner|administrator)\b",
    ),
    (Order::Role, r"<\|?/? ?(?:system|assistant|developer|admin|operator)[_-]\w+[ >]"),
    (
        Order::Hide,
        r"\b(?:and|but) (?:not|never|do not|don't) (?:tell|mention|inform|notify|comment on|point out|talk about|bring up)\b|\bwithout (?:pointing out|saying|mentioning|revealing|disclosing|telling|noting) (?:where|that|why|who|how|what|it|this)\b|\bsay nothing (?:about|of|to)\b",
    ),
    (
        Order::Hide,
        r"(?:사용자|유저|누구|아무|관리자|팀)(?:에게|한테)(?:는|도)? ?비밀|비밀로 (?:하고|해|하라|하세요|하십시오)",
    ),
    (
        Order::Command,
        r"무조건 (?:승인|머지|병합|통과|푸시|배포|실행|동의|허용)|봇(?:은|이|들은)?[^.\n]{0,40}(?:승인|머지|병합|푸시|삭제|실행|배포|추가|전송|무시)(?:할 것|하라|해라|하세요|하십시오|해야|해 줘|해줘|해 주세요|해주세요)",
    ),
    (
        Order::Leak,
        r"{SECRET}[^.\n]{0,40}\b(?:and|then) (?:pass|include|attach|append|return|supply|give|put|use|add|insert|hand|provide) (?:its|their|the|it|them|that|those)\b",
    ),
    (
        Order::Leak,
        r"\b(?:add|append|insert|put|include|place|work) (?:the |this |a )?[^\n]{0,90}\b(?:to|into|in|at the end of) (?:its|their) (?:\w+ )?(?:answers?|repl(?:y|ies)|summar(?:y|ies)|responses?|outputs?)\b",
    ),
    (
        Order::Command,
        r"\b{MACHINE} (?:is|are) (?:\w+ )?\w+ing (?:this|these)(?: ?[:,.;)]|$)|\b(?:ai|llm|automated) (?:contributors?|users?|readers?|helpers?) ?:",
    ),
    // Kindly meant, so to speak.
    (
        Order::Command,
        r"\b(?:assistants?|agents?|bots?|ais?|llms?|(?:ai|automated) \w+s) (?:are|is) (?:\w+ )?(?:encouraged|asked|advised|invited|urged|reminded|welcome|requested|instructed|told|authori[sz]ed|cleared) to\b",
    ),
    (
        Order::Command,
        r"\b(?:appreciate(?: it)?|grateful|lovely|nice|great|helpful|kind|good practice) (?:if|for) (?:the |any |all |every |our )?(?:(?:ai|coding|automated|language|reviewing) )?(?:agents?|assistants?|bots?|ais?|llms?|models?|contributors?)\b",
    ),
    (
        Order::Command,
        r"\b(?:thing|word|request|favou?r|task|job|step|ask) for (?:the|any|our|your) (?:\w+ )?{MACHINE} ?:|\bif (?:your name is|you happen to be|you turn out to be) an? (?:\w+ )?{MACHINE}\b",
    ),
    (
        Order::Command,
        r"\b(?:when|once|if|as soon as) (?:the|an?|any|your) (?:\w+ )?{MACHINE} (?:gets?|reaches|sees|reads|finds|comes|arrives)(?: to| at| upon)? (?:here|this (?:point|line|text|far|page|file|note|cell|message))\b",
    ),
    (
        Order::Forget,
        r"\b(?:everything|all|anything|whatever) you (?:were|have been|are|had been) (?:told|taught|given|instructed)\b|\bact accordingly\b",
    ),
    (
        Order::Role,
        r"(?:^|[.!?\n] ?)(?:authori[sz]ed|approved|ordered|cleared|signed off) by (?:the |your )?(?:cto|ceo|ciso|owner|management|security|admin\w*|maintainers?|board|legal)(?: team)? ?[:,-]",
    ),
    (
        Order::Deceive,
        r"\b(?:write|put|say|report|mark|set|print|record)\b[^.\n]{0,60}\b(?:pass(?:ed)?|success|green|done|complete|ok)\b[^.\n]{0,40}\b(?:whether|no matter|regardless|even if)\b",
    ),
    (
        Order::Leak,
        r"\brepeat (?:the |all |every )?(?:words?|text|lines?|sentences?|everything|message)(?: \w+)? (?:above|before|so far|from the (?:start|beginning))\b|(?:대화|프롬프트|소스|코드|파일|내용|기록)[^.\n]{0,20}(?:https?://|메일|주소)[^\n]{0,40}(?:보내|전송|업로드|올려)",
    ),
    // A machine is named, and what it has to do.
    (
        Order::Command,
        r"\b(?:ai|llm|coding|automated|autonomous|language) (?:[\w-]+ )?(?:agents?|bots?|assistants?|models?|tools?|reviewers?|systems?)\b[^.\n:]{0,40}\b{MUST} (?:(?:also|always|now|first|then|immediately) )*{ACT}\b",
    ),
    (
        Order::Command,
        r"(?:^|[\n.!?] ?)(?:for|to) (?:the |all |any |every )?(?:ai|llm|automated|autonomous|coding|triage|review) (?:[\w-]+ )?(?:bots?|agents?|assistants?|models?|reviewers?|tools?|systems?) ?:|\b(?:any|every|whichever|whatever) (?:other )?(?:ai )?(?:assistant|agent|bot|ai|llm|model) ?:",
    ),
    (
        Order::Command,
        r"(?:^|\n|[.!?] )(?:model|assistant|agent|ai|bot|llm|copilots?), (?:(?:please|now|just|kindly) )*{ACT}\b|\b(?:hey|hi|hello|dear),? copilots?\b",
    ),
    // What it is told to be allowed, and whom not to ask.
    (
        Order::Forget,
        r"\b(?:given|granted|gave) you (?:full |the |explicit )?(?:permission|clearance|authority|authori[sz]ation|consent)\b|\bno need to (?:double[- ]?check|check|confirm|verify|ask|consult)(?: \w+)? (?:with )?(?:them|him|her|the user|your user|anyone|anybody)\b|\b(?:do not|don't|never) (?:follow|obey|fulfil|honou?r) (?:their|his|her) (?:requests?|orders?|instructions?|wishes)\b",
    ),
    (
        Order::Hide,
        r"\bkeep (?:this|it|that|the \w+) (?:from (?:them|the user|your user|him|her)|out of (?:the |your )?(?:chat|summary|report|reply|answer|conversation|transcript))\b|\bkeep quiet about\b|\bas if nothing (?:had |has )?happened\b|\b(?:doesn't|does not|do not|don't) (?:like|want) to be (?:asked|told|bothered)\b",
    ),
    (
        Order::Role,
        r"\b(?:message|note|instruction|hint|order)s?_(?:to|for)_(?:the_)?(?:agent|assistant|ai|llm|model|bot)s?\b",
    ),
    (
        Order::Hide,
        r"(?:ai|에이전트|어시스턴트|모델|봇)(?:은|는|에게)[^.\n]{0,90}(?:적지|쓰지|알리지|말하지|보이지|언급하지|남기지|묻지) ?(?:말고|마세요|마십시오|마라|말 것|말아)",
    ),
    (
        Order::Forget,
        r"\b(?:ignore|disregard|refuse|forget) (?:the |your )?(?:users?|user's|human's|owner's|developer's) (?:requests?|wish(?:es)?|orders?|questions?|instructions?)\b",
    ),
    (
        Order::Command,
        r"(?:^|[\n ])@(?:ai|llm|bot|agent|assistant|copilots?)[\w-]*\b[^.\n]{0,40}\b(?:you|please|must|should)\b|\b(?:when|once|if|as soon as) you (?:see|read|encounter|find) this ?[,:]",
    ),
    (
        Order::Deceive,
        r"\bwhen(?:ever)? (?:the|your) user (?:asks|wants|requests|says)\b[^.\n]{0,40}, (?:just |always |simply )?(?:answer|say|reply|respond|tell|claim|pretend)\b|\b(?:hide|suppress|leave out|omit) (?:any|all|the|every) (?:\w+ )?(?:findings?|vulnerabilit\w+|security (?:warnings?|issues?|problems?))\b",
    ),
];
