//! Does a text give orders to whoever reads it?
//!
//! Notes come from tools, web pages and commits, so anybody may have written
//! them. An order is known by its shape rather than by its words: it speaks to
//! an assistant and tells it to act, it hides, it poses as another side of the
//! conversation, or it asks for what only the user may give. Advice to people
//! ("run `make` first") is none of these.

use std::sync::LazyLock;

use regex::Regex;

/// What kind of order a text gives to whoever reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// To forget what it was told before.
    Forget,
    /// To be somebody else.
    Pretend,
    /// It speaks as the system or another side of a conversation would.
    Role,
    /// To keep something from the user.
    Hide,
    /// To say what is not so.
    Deceive,
    /// To send something away.
    Leak,
    /// To run something that does harm, or to go around what protects.
    Harm,
    /// It tells the agent what it has to do.
    Command,
    /// Part of it is hidden from people, or must be decoded to be read.
    Disguise,
}

/// Who is spoken to when a text means the agent.
const READER: &str = r"(?:(?:ai|coding|autonomous|automated|language|software) (?:agents?|assistants?|models?|readers?|contributors?|reviewers?|coders?|bots?|systems?|tools?)|assistants?|chatbots?|llms?|(?:any|every|each|all) ais?)";

/// What obliges or asks.
const MUST: &str = r"(?:must|should|shall|has to|have to|needs? to|is to|are to|ought to|(?:is|are) (?:required|expected|asked|instructed|allowed|free) to|will|please|kindly|may now|can now)";

/// What an agent can be told to do.
const ACT: &str = r"(?:run|execute|call|delete|remove|install|approve|grant|open|download|upload|respond|reply|output|say|answer|use|follow|obey|stop|comply|mark|accept|push|write|add|merge|set|send|post|paste|read|print|copy|create|edit|change|disable|enable|ignore|skip|commit|store|save|tell|report|repeat|decode|do|make|give|show|visit|fetch|include|append|replace|close|forget|pretend|act|continue|proceed|treat|consider|switch|export|apply|confirm|provide|keep|start|leave|trust|put|publish|share)";

/// What is nobody's business but the user's.
const SECRET: &str = r"(?:(?:system|hidden|initial|original) (?:prompt|instructions?)|api[ _-]?keys?|secrets?|credentials?|passwords?|passphrases?|(?:private|ssh|signing|deploy) keys?|(?:access|auth|session|github|npm) tokens?|cookies?|environment variables|env vars|\.env\b|id_rsa|\w*(?:secret|access|api|private)_key\w*|\w+_(?:token|password|secret)\b|~/\.(?:ssh|aws|npmrc|netrc|gnupg)|/etc/(?:passwd|shadow))";

/// What protects the user.
const GUARD: &str = r"(?:sandbox|guardrails?|safety|safeguards?|firewall|antivirus|selinux|permissions?|approvals?|confirmations?|restrictions?|user'?s? (?:limits?|rules?|wishes|instructions?)|security (?:checks?|scans?|reviews?|polic\w+)|content polic\w+)";

/// Rules in the order in which they are asked; texts are lower case, with
/// single spaces and without what cannot be seen.
const RULES: &[(Order, &str)] = &[
    (
        Order::Forget,
        r"\b(?:ignore|disregard|forget|override|bypass|skip|drop)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|guideline|message|context|polic|constraint|told|above|safety)",
    ),
    (
        Order::Forget,
        r"(?:이전|위의|앞의|기존|모든|지금까지)[^.\n]{0,20}(?:지시|명령|규칙|프롬프트|내용)[^.\n]{0,12}(?:무시|잊|따르지)",
    ),
    (
        Order::Forget,
        r"\b(?:new|updated|real|actual) (?:system )?(?:instructions?|prompt|directive)s?\b ?[:=]?",
    ),
    (
        Order::Forget,
        r"\b(?:previous|earlier|prior|above|original)(?: \w+)? (?:instructions?|orders?|prompts?|directives?|guidelines?)[^.\n]{0,20}\b(?:are|is|was|were|have been|has been) (?:now )?(?:obsolete|void|a test|a joke|cancelled|canceled|revoked|outdated|invalid|superseded|replaced|suspended|no longer (?:valid|binding|in force|appl\w+))",
    ),
    (
        Order::Forget,
        r"\binstructions? (?:above|before|so far)\b|\b(?:the|your) (?:real|actual|true) (?:task|goal|mission|instructions?|job|objective)\b|\b(?:do|follow|obey) (?:this|these|the following) instead\b",
    ),
    (
        Order::Forget,
        r"(?:지시|명령|규칙|프롬프트|제한)(?:사항)?(?:은|는|이|가|을|를)? ?(?:모두 |전부 |이제 )?(?:무효|폐기|취소|철회|해제|잊)|진짜 (?:임무|작업|목표|지시)|역할을 (?:바꾸|변경)",
    ),
    (Order::Pretend, r"\bpretend (?:that |to |you |the |i |we |it |this )"),
    (
        Order::Pretend,
        r"\byou, (?:the|an?|dear) (?:ai|assistant|agent|model|llm|bot)\b|\bas an? (?:ai|language model|llm)\b",
    ),
    (Order::Pretend, r"\byou are (?:now|no longer|actually)\b"),
    (Order::Pretend, r"\b(?:act|behave|respond|roleplay) as (?:if|an?|the|though|root|admin\w*)\b"),
    (
        Order::Pretend,
        r"\bas (?:the|an|your) (?:ai )?(?:assistant|agent|administrator|model),? (?:i|you|we)\b",
    ),
    (
        Order::Pretend,
        r"\b(?:developer|dan|debug|god|jailbreak|admin(?:istrator)?|maintenance|unrestricted) mode\b",
    ),
    (Order::Pretend, r"(?:지금부터|이제부터|이제) (?:너는|당신은|넌)"),
    (
        Order::Role,
        r"(?:^|\n|[.!] ?)[#*\[ ]*(?:system|assistant|developer|human|user|시스템)[\]*]* ?(?:message|prompt|override|notice|메시지)? ?[:\]]",
    ),
    (
        Order::Role,
        r"<\|?/? ?(?:im_start|im_end|system|assistant|user|human|instructions?|endoftext|tool_(?:result|call|use)|function_(?:results?|calls?)|invoke|system-reminder|ralph-notes)\b",
    ),
    (
        Order::Role,
        r"\[/?(?:inst|sys|system)\]|<<sys>>|(?:^|\n)#{1,6} ?(?:system|instructions?|new task|assistant)\b",
    ),
    (
        Order::Role,
        r#"(?:^|\n) ?-? ?role: ?(?:system|assistant)\b|\bend of (?:tool|user|function) (?:output|input|results?)\b|"role" ?: ?"(?:system|assistant|developer|tool|user)"|"type" ?: ?"(?:tool_use|tool_result|function_call)"|\b(?:function_call|tool_call|tool_use) ?[:=(]"#,
    ),
    (
        Order::Role,
        r"\b(?:message|note|order|instruction|request)s? from (?:anthropic|openai|the (?:system|developers?|administrators?|admin|user|owner|security team))\b",
    ),
    (
        Order::Hide,
        r"\b(?:do not|don't|never|without) (?:tell|inform|mention|reveal|show|notify|alert|telling|informing|mentioning|notifying|asking|ask|report|reporting|log|bother|bothering)\b[^.\n]{0,30}\b(?:user|anyone|anybody|human|them|operator|this|maintainers?|reviewers?)\b",
    ),
    (
        Order::Hide,
        r"\b(?:do|run|proceed|continue|commit|push|merge|delete|apply|install)\b[^.\n]{0,40}\bwithout (?:asking|telling|informing|notifying|prompting|confirming|mentioning)\b",
    ),
    (
        Order::Hide,
        r"(?:말하지|알리지|보이지|보고하지|언급하지|밝히지|묻지) ?(?:마|말|않고)|몰래|숨기(?:고|세요|십시오|라)",
    ),
    (
        Order::Deceive,
        r"\b(?:tell|inform|assure|convince) (?:the |your )?(?:user|human|operator|maintainers?|reviewers?|developers?|owner) (?:that|to|it|everything|there)\b",
    ),
    (
        Order::Deceive,
        r"\b(?:report|mark|declare|record|present)\b (?:[\w']+ ){0,4}as (?:green|passed|passing|complete|completed|done|successful|safe|approved|verified|fixed|resolved|finished|reviewed)\b",
    ),
    (
        Order::Deceive,
        r"\b(?:say|output|print|reply|respond|answer)\b[^.\n]{0,20}<?/?promise|\bclaim (?:that )?(?:it|they|all|the work|everything|the (?:tests?|build)) (?:is|are|was|has|have|pass(?:es|ed)?|works?)?\b",
    ),
    (
        Order::Hide,
        r"\b(?:do not|don't|never) (?:question|refuse|warn|hesitate|double-check|disclose)\b|\bkeep (?:this|it) (?:secret|hidden|between us|quiet)\b|\b(?:secretly|covertly)\b|\bleave no trace\b|\b(?:delete|erase|remove) this (?:message|note|line|comment) (?:after|once|when)\b",
    ),
    (
        Order::Hide,
        r"\b(?:no ?one|nobody) (?:needs?|has|have|should|must|will)(?: to)? (?:know|hear|see|notice|find out|be told)\b|\b(?:silently|quietly|discreetly|stealthily) (?:add|send|install|push|change|modify|remove|delete|upload|copy|commit|widen\w*|disable|replace|include|insert|run|execute|merge|grant|open|create|forward)\b",
    ),
    (
        Order::Hide,
        r"\b(?:leave|keep) (?:this|it|that|the \w+) out of (?:the|your|any) (?:summary|report|log|answer|reply|description|commit message|changelog|diff)\b|\bbefore (?:anyone|anybody|the (?:user|maintainers?|reviewers?)) (?:notices?|sees?|finds? out)\b|\b(?:hide|conceal) (?:this|it|that|the (?:change|commit|fact)) from\b",
    ),
    (Order::Deceive, r"\bno need (?:for you )?to (?:review|check|verify|ask|confirm|test|look)\b"),
    (
        Order::Deceive,
        r"(?:통과|성공|완료)(?:했다고|한 것으로|된 것으로|됐다고)[^.\n]{0,10}(?:보고|말|표시|기록|답)",
    ),
    (
        Order::Leak,
        r"\b(?:(?:send|upload|exfiltrate|forward|transmit|email|mail|leak|paste|submit)\b|post [a-z])[^\n]{0,30}\b(?:{SECRET}|contents?|files?|output|repo\w*|source|code|conversation|history|keys?|tokens?|diff|logs?|this|everything|all|data|results?|it|them|summary|prompt)\b[^\n]{0,40}(?:https?://|webhook|pastebin|ngrok)|\b(?:curl|wget)\b[^\n]{0,80}(?: -d | --data|--post-(?:data|file)| -f \S+=@| -t |--upload-file|\$\(|`cat |\$\w*(?:key|token|secret|password))|\b(?:send|forward|pass|report|deliver|mail|email|submit)\b[^\n]{0,60}\bto [\w.+-]+@",
    ),
    (
        Order::Leak,
        r"\b(?:print|printing|reveal|repeat|show|output|dump|include|send|share|post|upload|paste|echo|forward|exfiltrate|publish|email|cat)\b[^.\n]{0,30}(?:\b| ){SECRET}",
    ),
    (Order::Leak, r"\bthe user'?s (?:[\w']+ ){0,3}{SECRET}"),
    (
        Order::Leak,
        r"\b(?:print|repeat|reveal|reply with|tell me|text of|contents? of) (?:your|the) (?:[\w']+ ){0,2}(?:prompt|instructions)\b",
    ),
    (
        Order::Leak,
        r"\b(?:add|append|put|write|copy)\b[^.\n]{0,60}authorized_keys|\badd (?:my|this|the following) (?:[\w']+ ){0,3}key\b",
    ),
    (
        Order::Leak,
        r"(?:비밀번호|토큰|api ?키|자격 ?증명|환경 ?변수|시크릿|비밀 ?키|\.env)[^.\n]{0,30}(?:보내|전송|출력|업로드|게시|알려|복사|붙여)",
    ),
    (
        Order::Harm,
        r"\brm -[a-z]*r[a-z]*f?\b ?[~/*.$]|\b(?:curl|wget)\b[^\n|]*\| ?(?:sudo )?(?:ba|z)?sh\b|\bchmod (?:-r )?777\b|\bgit push (?:--force|-f) (?:origin|to|and)|:\(\) ?\{|\bmkfs\b|\bdd if=|\bdrop (?:table|database)\b|/etc/cron",
    ),
    (
        Order::Harm,
        r"\b(?:delete|remove|disable|weaken|skip|comment out|turn off)\b[^.\n]{0,20}\b(?:all (?:the )?(?:tests?|files?|checks?)|the tests?|safety|security checks?|authentication|the linter|hooks?|guardrails?|permission)",
    ),
    (
        Order::Harm,
        r"\b(?:bypass|circumvent|suspend|override|evade|disable|ignore|lift|waive|skip|turn off|work around|leave|escape)\b (?:[\w']+ ){0,3}{GUARD}|\b(?:safety|security|permission) (?:checks?|rules?) (?:are|is) (?:suspended|off|disabled|lifted)",
    ),
    (
        Order::Harm,
        r"\byou (?:may|can|are (?:now )?(?:allowed|free|permitted|authori[sz]ed) to) (?:now )?{ACT}\b[^.\n]{0,40}\b(?:outside|without|anything|everything|any file|freely)\b",
    ),
    (
        Order::Harm,
        r"(?:권한|승인|검토|리뷰|확인|샌드박스|보안|검사|허락)[^.\n]{0,12}(?:없이|무시|우회|건너뛰|끄고|생략|해제)[^.\n]{0,24}(?:하라|해라|하세요|하십시오|마라|할 것|해도)|금지하더라도",
    ),
    (
        Order::Command,
        r"\b{READER}(?: (?:reading|seeing|processing|parsing|handling|viewing|working|who|that|which)[^.,:\n]{0,30})?(?:[,:] ?| )(?:\w+ ){0,2}?{MUST} (?:\w+ ){0,2}?{ACT}\b",
    ),
    (
        Order::Command,
        r"\b{READER}(?: (?:reading|seeing|processing|parsing|handling|viewing|working|who|that|which)[^.,:\n]{0,30})? ?[,:] ?(?:(?:also|now|then|first|always|just|never|do not|don't|to) )*(?:base64-)?{ACT}\b",
    ),
    (
        Order::Command,
        r"\b(?:hey|hi|hello|dear|attention|fao|note to|message to|instructions? (?:for|to)) (?:the |all |any |every )?\w+(?: \w+)? ?[,:!] ?(?:(?:please|also|now|then|first|always|you must|kindly) )*{ACT}\b",
    ),
    (
        Order::Command,
        r"\b(?:agents?|bots?|models?|ais?|llms?) (?:reading|processing|parsing|seeing|working (?:on|in|with)|looking at|handling) (?:this|these)\b",
    ),
    (
        Order::Command,
        r"\b(?:when|while|if|whenever) you (?:\w+ )?(?:(?:summari[sz]e|process|analy[sz]e|translate|describe|report on) (?:this|these)|(?:read|review|parse|see) (?:this|these) (?:document|file|page|text|output|message|log|issue|commit|note|line|comment)s?)\b",
    ),
    (
        Order::Command,
        r"\bdo (?:exactly |precisely |just )?(?:what|as|whatever|everything) (?:it|they|that (?:file|page)|the (?:file|page|text|document|response|note)) (?:says?|tells?|asks?|instructs?|contains?)\b",
    ),
    (
        Order::Harm,
        r"\b(?:approve|accept|grant|allow|confirm|merge) (?:every|all|any|each)(?: \w+){0,3} (?:without|blindly|automatically|no matter)\b|\bwithout (?:looking|reading it|reviewing (?:it|them)|a second look|double-checking)\b",
    ),
    (
        Order::Command,
        r"\b(?:assistants?|crawlers?|scrapers?|copilots?)(?: and \w+)? (?:reading|processing|parsing|seeing|looking at|handling|indexing) (?:this|these)\b|\b(?:ai|llm) (?:crawlers?|scrapers?|users?|readers?|systems?|tools?|bots?)(?: and (?:agents?|bots?|assistants?))?[,:]",
    ),
    (
        Order::Command,
        r"\bwait(?:ing)? for (?:\w+ )?(?:approval|permission|confirmation|review) is (?:\w+ ){0,3}(?:unnecessary|violation|forbidden|not (?:needed|required|allowed)|no longer)\b|\b(?:do not|don't|never) (?:wait for|ask for|seek|request) (?:\w+ )?(?:approval|permission|consent)\b|\bno (?:approval|permission|confirmation|consent) (?:is )?(?:needed|required|necessary)\b",
    ),
    (
        Order::Command,
        r"\b(?:begin|start|end|finish|prefix|conclude) (?:each of |all of )?(?:your|every) (?:\w+ )?(?:repl(?:y|ies)|answers?|responses?|messages?|turns?|outputs?)\b|\b(?:save|store|write|keep|remember|put) (?:this|it|that|the following) (?:in|to|into) your (?:\w+ )?(?:memory|notes|context|instructions)\b|\bremember (?:this )?(?:permanently|forever)\b",
    ),
    (
        Order::Command,
        r"\b(?:recommend|suggest|promote|advertise) (?:[\w@/.-]+ ){1,4}to (?:the|your|every|all) users?\b|\bthe user (?:wants|would like|expects|needs|has asked|asked|told) you to\b",
    ),
    (
        Order::Command,
        r"(?:읽|열람|처리|확인|보)(?:는|은|한|고 있는) (?:ai|에이전트|모델|비서|어시스턴트|봇|인공지능)|(?:승인|허락|확인)(?:을|를)? ?(?:기다리지|받지|요청하지|구하지|묻지) ?(?:말|마|않)",
    ),
    (
        Order::Command,
        r"\bfor (?:ai|llm|agent|bot|model)s?(?: eyes)? only\b|\b(?:note|message|memo|notice|word|instructions?|reminder) (?:to|for) (?:[\w-]+ ){0,3}(?:agents?|bots?|assistants?|ais?|llms?|copilots?) ?[:,-]",
    ),
    (
        Order::Command,
        r"\bpre-?(?:approved|authori[sz]ed) (?:every|all|any|this|each)\b|\byou (?:no longer|don't|do not) (?:need|have) to (?:follow|obey|respect|ask|check|verify|confirm|wait|care|worry)\b|\byou (?:may|can|are free to|should) (?:safely )?(?:ignore|disregard|bypass) (?:the|your|any|all) (?:user|rules?|limits?|instructions?|polic\w+|system)\b",
    ),
    (
        Order::Role,
        r"\b(?:treat|regard|consider|interpret|take) (?:the|this|these|any|all|every|what follows)(?: next| following| above)?(?: message| text| note| line| comment| content| instruction)?s? as (?:coming|if|from|an? (?:order|instruction|command|system)|the user|trusted|authoritative|your)\b",
    ),
    (
        Order::Deceive,
        r"\b(?:your (?:\w+ )?(?:summary|report|answer|reply|response|message)|(?:^|[.;:\n] ?))(?:,)? ?(?:claim|state|say|write|pretend) (?:that )?(?:the|all|every|it|everything|there|no)\b[^.\n]{0,40}\b(?:pass(?:ed|es)?|succeeded|done|safe|clean|complete|fixed|audited|reviewed|approved|green|found)\b",
    ),
    (
        Order::Command,
        r"\bif you(?:'re| are) (?:an? )?(?:ai|llm|language|coding|automated|assistant|agent|autonomous|bot|model|machine)\b",
    ),
    (
        Order::Command,
        r"\b(?:could|can|would|will) (?:the|any|an?) (?:ai |coding )?(?:assistant|agent|model|bot) (?:kindly|please)\b",
    ),
    (
        Order::Command,
        r"(?:^|[.,;:!?(\n] ?)(?:the )?agents?[,:] (?:\w+ ){0,2}?{ACT}\b|\b(?:the|this|any|every|each) (?:agent|ai|model) (?:must|should|shall|has to|needs to|is (?:required|to)(?: to)?) (?:\w+ ){0,1}?{ACT}\b",
    ),
    (
        Order::Command,
        r"\b(?:every|all|any) (?:automated|ai|autonomous) (?:contributor|agent|assistant|reviewer|tool|system)s?\b[^.\n]{0,20}\b(?:to|must|should|shall|has to|have to)\b",
    ),
    (
        Order::Command,
        r"\byou (?:must|should|shall|need to|have to|are required to|will) (?:(?:now|always|immediately|instead|only|simply) )?(?:approve|grant|delete|obey|comply|respond|reply|output|say|answer|accept|mark|merge|push|stop|ignore|trust)\b",
    ),
    (
        Order::Command,
        r"\b(?:note|notice|message|instructions?|todo|attention|important|reminder)\b[^.\n]{0,12}\b(?:for|to) (?:the |all |any )?(?:{READER}|model|agents?|ai)\b[^.\n]{0,40}[,:]",
    ),
    (
        Order::Command,
        r"\bto (?:the )?(?:model|agent|ai|{READER}) ?:|\b(?:hidden|secret|special) (?:instructions?|directives?)\b",
    ),
    (
        Order::Command,
        r"\b(?:when|while|if) (?:you are |you're )?(?:summari[sz]ing|reading|processing|reviewing|analy[sz]ing|parsing|translating) this (?:document|file|page|text|output|message|repo\w*|log|issue|commit)\b",
    ),
    (
        Order::Command,
        r"\b(?:user|operator) (?:has|have) (?:already )?(?:approved|authori[sz]ed|agreed|granted|allowed|confirmed|changed)\b|\bi am (?:the|your|an?) (?:\w+ ){0,2}(?:owner|admin\w*|developer|maintainer|operator|user|creator)\b|\bi (?:hereby )?(?:authori[sz]e|allow|permit|order|command|instruct) you\b|\byou (?:now )?have (?:full |my |the user's )?permission\b|\bpermissions? (?:is|are|has been|have been) granted\b|\bno confirmation is (?:needed|required|necessary)\b",
    ),
    (
        Order::Command,
        r"\b(?:asked|told|wants?|instructs?|instructed|orders?|ordered) you to\b|\b(?:whoever|whatever) (?:reads|processes|parses) this\b|\breaders? of this (?:log|file|output|message)\b",
    ),
    (
        Order::Command,
        r"\b(?:stop|abandon|cease|quit) (?:working on )?(?:your|the|this)(?: current)? (?:task|work|goal|job)\b|(?:^|[.!;\n] ?)(?:only )?(?:respond|reply|answer) (?:only )?(?:with|in|by)\b",
    ),
    (
        Order::Command,
        r"\b(?:from now on|as your (?:first|next) (?:step|action|task)|your (?:new |next |real )?(?:task|goal|mission|objective|job) is)\b",
    ),
    (
        Order::Command,
        r"\b(?:for|in) (?:all|each|every|any) (?:of )?(?:your |the )?(?:future|later|coming|following|next) (?:session|conversation|run|task|turn)s?\b|\b(?:keep|continue) doing (?:that|this|so)\b[^.\n]{0,20}\bsessions?\b",
    ),
    (
        Order::Command,
        r"\b(?:immediately|now|urgent:?|important:?|attention:?) (?:run|execute|call|delete|install|approve|grant|download|push)\b",
    ),
    (
        Order::Command,
        r"(?:너는|당신은|에이전트[는가야,]|어시스턴트[는가야,]|ai[는가야,]|ai (?:에이전트|어시스턴트|비서)|모델은|인공지능)[^.\n]{0,60}(?:하라|해라|하세요|하십시오|해야|할 것|해줘|해 줘|주세요|실행|삭제|보내|출력|승인|마라|말 것)",
    ),
    (
        Order::Command,
        r"(?:앞으로|지금부터|이제부터|다음 세션)[^.\n]{0,40}(?:하라|해라|하세요|하십시오|마라|마세요|말 것|답하|대답)",
    ),
    (
        Order::Disguise,
        r"<\w+[^>]*style ?=[^>]*(?:display: ?none|visibility: ?hidden|font-size: ?0|opacity: ?0)",
    ),
    (
        Order::Disguise,
        r"\b(?:read|do|run|take|spell) (?:this|it|that|the (?:following|next line|rest)) (?:backwards?|in reverse|from right to left|letter by letter)\b|\b(?:base ?64|rot13|hex|caesar|morse)\b[^\n]{0,60}\b(?:carry out|perform|after decoding|once decoded|comply|do (?:it|so|that))\b",
    ),
    (
        Order::Disguise,
        r"\b(?:base ?64|rot13|hex)[- ]?(?:decode|encoded?)?\b[^.\n]{0,60}\b(?:run|execute|follow|obey|eval)\b|\b(?:decode|decrypt|unscramble|reverse)\b[^.\n]{0,40}\b(?:run|execute|follow|obey|eval|do (?:what|as))\b|\bdo what the \w+ text says\b|base64 -d[^\n]*\| ?(?:ba)?sh",
    ),
];

/// The kinds of orders in a text, each once. Empty for what just informs.
pub fn orders(text: &str) -> Vec<Order> {
    static COMPILED: LazyLock<Vec<(Order, Regex)>> = LazyLock::new(|| {
        let compile =
            |(order, rule): &(Order, &str)| Some((*order, Regex::new(&spelled(rule)).ok()?));
        RULES.iter().filter_map(compile).collect()
    });
    let seen = without_installers(&readable(text));
    let said = without_quotations(&seen);
    let asks = |(order, rule): &&(Order, Regex)| match order {
        Order::Forget | Order::Pretend | Order::Command | Order::Deceive | Order::Hide => {
            rule.is_match(&said)
        }
        Order::Role | Order::Leak | Order::Harm | Order::Disguise => rule.is_match(&seen),
    };
    let mut found: Vec<Order> = COMPILED.iter().filter(asks).map(|(order, _)| *order).collect();
    if is_disguised(text) {
        found.push(Order::Disguise);
    }
    found.dedup();
    found
}

/// A rule with the names of word groups replaced by the words.
fn spelled(rule: &str) -> String {
    let groups = [
        ("{READER}", READER),
        ("{MUST}", MUST),
        ("{ACT}", ACT),
        ("{SECRET}", SECRET),
        ("{GUARD}", GUARD),
    ];
    let rule = groups.iter().fold(rule.to_owned(), |rule, (name, words)| rule.replace(name, words));
    // A dot inside a name ends no sentence.
    rule.replace(r"[^.\n]", r"(?:[^.\n]|\.\w)")
}

/// A text without the well-known ways to install a tool, which are piped into
/// a shell as an attack would be.
fn without_installers(text: &str) -> String {
    static KNOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let hosts = r"(?:sh\.rustup\.rs|get\.docker\.com|install\.python-poetry\.org|astral\.sh|get\.pnpm\.io|bun\.sh|deno\.land|get\.k3s\.io|get\.helm\.sh|install\.determinate\.systems|raw\.githubusercontent\.com/(?:nvm-sh|homebrew)|starship\.rs|mise\.run|cli\.doppler\.com|fly\.io|get\.sdkman\.io)";
        Regex::new(&format!(r"\bcurl [^\n|]*https://{hosts}[^\s|]* ?\| ?(?:ba|z)?sh\b")).ok()
    });
    match KNOWN.as_ref() {
        Some(known) => known.replace_all(text, "").into_owned(),
        None => text.to_owned(),
    }
}

/// A text without what it only quotes: the title of a reverted commit, the
/// input of a test.
fn without_quotations(text: &str) -> String {
    static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let named = r"\b(prompts?|texts?|strings?|inputs?|messages?|phrases?|payloads?|cases?|titles?|named|called|expected|got|revert|samples?|words?|contains?|containing|rejects?|detects?|blocks?|for|like) ?:? ?";
        Regex::new(&format!(r#"{named}(?:'[^'\n]*'|"[^"\n]*"|“[^”\n]*”|`[^`\n]*`)"#)).ok()
    });
    match QUOTED.as_ref() {
        Some(quoted) => quoted.replace_all(text, "$1").into_owned(),
        None => text.to_owned(),
    }
}

/// Whether characters in it hide text or overwrite what was shown before.
fn is_disguised(text: &str) -> bool {
    let is_tag = |c: char| ('\u{e0000}'..='\u{e007f}').contains(&c);
    let turns = |c: char| matches!(c, '\u{202d}' | '\u{202e}' | '\u{2066}'..='\u{2068}');
    let splits = |part: &[char]| match part {
        [a, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{ad}', b] => {
            a.is_ascii_alphabetic() && b.is_ascii_alphabetic()
        }
        _ => false,
    };
    let erases = ["\u{1b}[8m", "\u{1b}[2K", "\u{1b}[1A", "\u{1b}[2J", "\u{1b}[K"];
    let chars: Vec<char> = text.chars().collect();
    chars.iter().any(|c| is_tag(*c) || turns(*c))
        || chars.windows(3).any(splits)
        || erases.iter().any(|code| text.contains(code))
}

/// A text as a reader sees it: lower case, single spaces, look-alikes of Latin
/// letters replaced, without marks that have no width.
fn readable(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_unseen(*c)) {
        let c = plain(c);
        if c == '\n' {
            seen.truncate(seen.trim_end_matches(' ').len());
            seen.push('\n');
        } else if c.is_whitespace() {
            if !seen.ends_with([' ', '\n']) {
                seen.push(' ');
            }
        } else {
            seen.extend(c.to_lowercase());
        }
    }
    seen
}

/// Characters that hide: no width, or a change of direction.
pub(super) fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}' | '\u{fe00}'..='\u{fe0f}')
        || (c.is_control() && !c.is_whitespace())
}

/// The Latin letter that a look-alike is taken for.
fn plain(c: char) -> char {
    match c {
        'а' | 'А' => 'a',
        'е' | 'Е' => 'e',
        'о' | 'О' | 'ο' => 'o',
        'р' | 'Р' => 'p',
        'с' | 'С' => 'c',
        'х' | 'Х' => 'x',
        'у' | 'У' => 'y',
        'і' | 'І' | 'ı' => 'i',
        'ѕ' => 's',
        'ց' => 'g',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xff01 + 0x21).unwrap_or(c),
        '’' => '\'',
        _ => c,
    }
}

#[cfg(test)]
#[path = "orders_tests.rs"]
mod tests;
