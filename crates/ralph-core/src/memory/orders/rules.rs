//! What orders look like, as patterns. Texts are lower case, with single spaces
//! and without what cannot be seen.

use super::Order;

/// Who is spoken to when a text means the agent.
const READER: &str = r"(?:(?:ai|coding|autonomous|automated|language|software) (?:agents?|assistants?|models?|readers?|contributors?|reviewers?|coders?|bots?|systems?|tools?)|assistants?|llms?|(?:any|every|each|all) ais?)";

/// What obliges or asks.
const MUST: &str = r"(?:must|should|shall|has to|have to|needs? to|is to|are to|ought to|(?:is|are) (?:required|expected|asked|instructed|allowed|free) to|will|please|kindly|may now|can now)";

/// What an agent can be told to do.
const ACT: &str = r"(?:run|execute|call|delete|remove|install|approve|grant|open|download|upload|respond|reply|output|say|answer|use|follow|obey|stop|comply|mark|accept|push|write|add|merge|set|send|post|paste|read|print|copy|create|edit|change|disable|enable|ignore|skip|commit|store|save|tell|report|repeat|decode|do|make|give|show|visit|fetch|include|append|replace|close|forget|pretend|act|continue|proceed|treat|consider|switch|export|apply|confirm|provide|keep|start|leave|trust|put|publish|share|cite|mention|suggest|recommend|link|forward|mail|email|rewrite|rename|move|discard|drop|abandon|load|import|insert|attach|pass|return|claim|state|invoke|click|submit|reset|remember|deploy|release|rate|rank|hide|bump)";

/// Machines that may read a text.
const MACHINE: &str =
    r"(?:agents?|bots?|ais?|llms?|models?|assistants?|copilots?|crawlers?|scrapers?|chatbots?)";

/// What a text may call itself.
const TEXT: &str = r"(?:files?|pages?|logs?|issues?|tickets?|articles?|documents?|notes?|texts?|messages?|cells?|sheets?|comments?|lines?|commits?|diffs?|prs?|pull requests?|changes|outputs?|repo(?:sitor(?:y|ie))?s?|code|emails?|mails?|threads?|descriptions?|paragraphs?|sentences?|sections?|posts?|reports?|summar(?:y|ies)|snippets?|traces?)";

/// What is nobody's business but the user's.
const SECRET: &str = r"(?:(?:system|hidden|initial|original) (?:prompt|instructions?)|api[ _-]?keys?|secrets?|credentials?|passwords?|passphrases?|(?:private|ssh|signing|deploy) keys?|(?:access|auth|session|github|npm) tokens?|cookies?|environment variables|env vars|\.env\b|id_rsa|\w*(?:secret|access|api|private)_key\w*|\w+_(?:token|password|secret)\b|~/\.(?:ssh|aws|npmrc|netrc|gnupg)|/etc/(?:passwd|shadow))";

/// What protects the user.
const GUARD: &str = r"(?:sandbox|guardrails?|safety|safeguards?|firewall|antivirus|selinux|permissions?|approvals?|confirmations?|restrictions?|user'?s? (?:limits?|rules?|wishes|instructions?)|security (?:checks?|scans?|reviews?|polic\w+)|content polic\w+)";

/// What stands before a verb that is an order, and not what something does.
const BEGINS: &str = r"(?:^|[.!?:;,\n(>*#\]-] ?|\b(?:please|must|should|to|you|and|then|now|shall|can|may|will|just|so|kindly|agents?|assistants?|ai|models?|llms?|bots?|also|always|immediately|therefore) )";

/// Rules in the order in which they are asked; texts are lower case, with
/// single spaces and without what cannot be seen.
pub(super) const RULES: &[(Order, &str)] = &[
    (
        Order::Forget,
        r"\b(?:do not|don't|never|stop|no need to|needn't) (?:follow(?:ing)?|obey(?:ing)?|listen(?:ing)? to|respect(?:ing)?|heed(?:ing)?|trust(?:ing)?) (?:the |your |any |what the )?(?:user|human|owner|operator|previous|earlier|system prompt)\b",
    ),
    (
        Order::Forget,
        r"\b(?:ignore|disregard|forget|bypass)\b[^.\n]{0,40}\b(?:instruction|prompt|rules\b|guideline|polic|constraint|told|above|safety)|{BEGINS}(?:override|skip|drop)\b[^.\n]{0,40}\b(?:instruction|prompt|guideline|polic|constraint|safety)|{BEGINS}(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:message|context|(?:the|this|these|your|any|all|user's) rule)",
    ),
    (
        Order::Forget,
        r"(?:이전|위의|앞의|기존|모든|지금까지의?)[^.\n]{0,20}(?:지시|명령|규칙|프롬프트|내용)[^.\n]{0,12}(?:무시|잊|따르지)",
    ),
    (
        Order::Forget,
        r"\b(?:new|updated) (?:system )?(?:instructions?|prompt|directive)s?(?: (?:follow|begin|start here|apply|are))? ?(?:[:=]|\n|$)|\b(?:real|actual|true) (?:system )?(?:instructions?|prompt|directive)s?\b|\bbegin (?:new|hidden) instructions\b",
    ),
    (
        Order::Forget,
        r"\b(?:previous|earlier|prior|above|original)(?: \w+)? (?:instructions?|orders?|prompts?|directives?|guidelines?)(?: (?:you|given|from|above|have|were|that)[^.\n]{0,24})? ?\b(?:are|is|was|were|have been|has been) (?:now )?(?:obsolete|void|a test|a joke|cancelled|canceled|revoked|outdated|invalid|superseded|replaced|suspended|no longer (?:valid|binding|in force|appl\w+))",
    ),
    (
        Order::Forget,
        r"\binstructions? (?:above|before this|so far)\b|\b(?:the|your) (?:real|actual|true) (?:task|goal|mission|instructions?|job|objective)\b|\b(?:do|follow|obey) (?:this|these|the following) instead\b",
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
        r"\bas (?:the|an|your) (?:ai )?(?:assistant|agent|model),? (?:i|you|we)\b|\bas (?:the|an|your) administrator,? (?:i|we)\b",
    ),
    (
        Order::Pretend,
        r"\b(?:enter|activate|engage|switch (?:to|into)|you are (?:now )?in|you're (?:now )?in|your) (?:\w+ ){0,2}(?:developer|debug|god|admin(?:istrator)?|maintenance|root|service) mode\b|\b(?:dan|jailbreak|god|unrestricted) mode\b|\b(?:developer|admin(?:istrator)?) mode (?:is |has been )?(?:now )?(?:enabled|activated|engaged|unlocked)\b",
    ),
    (
        Order::Pretend,
        r"(?:지금부터|이제부터|이제) (?:너는|당신은|넌)|(?:너는|당신은|넌) (?:지금부터|이제부터|이제|앞으로)",
    ),
    (
        Order::Role,
        r"(?:^|\n|[.!] ?)[#*\[ ]*(?:system|assistant|developer|human|user|시스템)[\]*]* ?(?:message|prompt|override|notice|메시지)? ?[:\]]",
    ),
    (
        Order::Role,
        r"<\|?/? ?system(?:[ >|\n]|$)|(?:^|[\n.!?>|] ?)<\|?(?:user|human)\b|</(?:user|human)>|<\|(?:user|human)\b|<\|?/? ?(?:im_start|im_end|assistant|instructions?|endoftext|tool_(?:result|call|use)|function_(?:results?|calls?)|invoke|system-reminder|ralph-notes)\b",
    ),
    (
        Order::Role,
        r"\[/?(?:inst|sys|system)\]|<<sys>>|(?:^|\n)#{1,6} ?(?:system|instructions?|new task|assistant)(?: (?:prompt|message|override))? ?(?:[:#\n]|$)",
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
        r"\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|may not|without) (?:show|reveal|log|report) (?:this|it|that|these|them)\b|\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|may not|without) (?:tell|inform|mention|notify|alert|telling|informing|mentioning|notifying|asking|ask|reporting|bother|bothering)\b[^.\n]{0,30}\b(?:user|anyone|anybody|human|them|operator|this|maintainers?|reviewers?)\b",
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
        r"\b(?:do not|don't|never) (?:question|refuse|warn|hesitate|double-check|disclose|verify (?:this|it|that)|check (?:this|it))\b|\brepeat after me\b|\bwithout (?:any )?questions?(?: asked)?(?:[.,;!\n]|$)|\bkeep (?:this|it) (?:secret|hidden|between us|quiet)\b|\b(?:secretly|covertly)\b|\bleave no trace\b|\b(?:delete|erase|remove) this (?:message|note|line|comment) (?:after|once|when)\b",
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
        r"\b(?:(?:send|upload|exfiltrate|forward|transmit|email|mail|leak|paste|submit)\b|post [a-z])[^\n]{0,30}\b(?:{SECRET}|contents?|files?|output|repos?|repositor\w+|source|code|conversation|history|keys?|tokens?|diff|logs?|this|everything|all|data|results?|it|them|summary|prompt)\b[^\n]{0,40}(?:https?://|webhook|pastebin|ngrok)|\b(?:curl|wget)\b[^\n]{0,80}(?: -d | --data|--post-(?:data|file)| -f \S+=@| -t |--upload-file|\$\(|`cat |\$\w*(?:key|token|secret|password))|\b(?:send|forward|pass|report|deliver|mail|email|submit)\b[^\n]{0,60}\bto [\w.+-]+@",
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
        Order::Harm,
        r"\brm -[a-z]*r[a-z]*f?\b ?[~/*.$]|\b(?:curl|wget)\b[^\n|]*\| ?(?:sudo )?(?:ba|z)?sh\b|\bchmod (?:-r )?777\b|\bgit push (?:--force|-f) (?:origin|to|and)|:\(\) ?\{|\bmkfs\b|\bdd if=|\bdrop (?:table|database)\b|/etc/cron",
    ),
    (
        Order::Harm,
        r"(?:^|[^-\w])(?:delete|remove|disable|weaken|skip|comment out|turn off)\b[^.\n]{0,20}\b(?:all (?:the )?(?:tests?|files?|checks?)|the tests?|safety|security checks?|authentication|the linter|hooks?|guardrails?|permission)",
    ),
    (
        Order::Harm,
        r"(?:^|[^-\w])(?:bypass|circumvent|suspend|override|evade|disable|ignore|lift|waive|skip|turn off|work around|leave|escape)\b (?:[\w']+ ){0,3}{GUARD}|\b(?:safety|security|permission) (?:checks?|rules?) (?:are|is) (?:suspended|off|disabled|lifted)",
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
        r"\bdo (?:exactly |precisely |just )?(?:what|as|whatever|everything) [^.\n]{0,30}\b(?:says?|tells?|asks?|instructs?|orders?) you\b|\bdo (?:exactly |precisely |just )?(?:what|as|whatever|everything) (?:it|they|that (?:file|page)|the (?:file|page|text|document|response|note)) (?:says?|tells?|asks?|instructs?|contains?)\b",
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
        r"\b(?:from now on,? (?:you|your|agents?|assistants?|always|never|only|any|speak|respond|{ACT})|as your (?:first|next) (?:step|action|task)|your (?:new |next |real )?(?:task|goal|mission|objective|job) is)\b",
    ),
    (
        Order::Command,
        r"\b(?:for|in) (?:all|each|every|any) (?:of )?(?:your |the )?(?:future|later|coming|following|next) (?:session|conversation|run|task|turn)s?\b|\b(?:keep|continue) doing (?:that|this|so)\b[^.\n]{0,20}\bsessions?\b",
    ),
    (
        Order::Command,
        r"\bimmediately (?:run|execute|call|delete|install|approve|grant|download|push)\b|\b(?:now|urgent:?|important:?|attention:?) (?:execute|delete|approve|grant|download|push)\b",
    ),
    (
        Order::Command,
        r"(?:너는|당신은|에이전트[는가야,]|어시스턴트[는가야,]|ai[는가야,]|ai (?:에이전트|어시스턴트|비서)|인공지능)[^.\n]{0,60}(?:하라|해라|하세요|하십시오|해야|할 것|해줘|해 줘|주세요|실행|삭제|보내|출력|승인|마라|말 것)",
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

/// Rules that a sentence with a "never" or "not" in front of the match does
/// not break: "never run it without approval".
pub(super) const UNLESS_DENIED: &[(Order, &str)] = &[
    (
        Order::Leak,
        r"\b(?:print|printing|reveal|repeat|show|output|dump|include|send|share|post|upload|paste|echo|forward|exfiltrate|publish|email|cat)\b[^.\n]{0,30}(?:\b| ){SECRET}",
    ),
    (
        Order::Leak,
        r"(?:시스템 ?프롬프트|숨겨진 (?:지시|명령)|비밀번호|토큰|api ?키|자격 ?증명|환경 ?변수|시크릿|비밀 ?키|\.env)[^.\n]{0,30}(?:보내|전송|출력|업로드|게시|알려|복사|붙여)",
    ),
    (
        Order::Forget,
        r"\b(?:ignore|disregard|forget|override) (?:[\w']+ ){0,3}?(?:previous|prior|earlier|preceding|foregoing|above|your|all)(?: \w+){0,2} (?:instructions?|prompts?|rules|guidelines|orders|directives)\b",
    ),
    (
        Order::Forget,
        r"\byour (?:[\w']+ ){0,2}(?:instructions?|rules?|guidelines?|orders|restrictions?|limits?|task|goal|policy|memory|role|permissions) (?:(?:have|has) (?:just |now )?(?:been )?|(?:are|is) (?:now |hereby )?)(?:revoked|changed|updated|replaced|cancell?ed|lifted|suspended|removed|superseded|expired|void|reset|overridden|obsolete)\b|\bawait (?:further |new |my )?(?:commands|instructions|orders)\b",
    ),
    (
        Order::Forget,
        r"\b(?:ignore|disregard) (?:everything|anything|whatever|what) (?:[\w']+ ){0,3}?(?:user|human|developer|owner|operator|above|before|you)\b|\bwhat (?:this|the following) (?:note|text|message|file|page|line) says instead\b",
    ),
    (
        Order::Forget,
        r"\b(?:system|priority|admin(?:istrator)?|security|emergency|instructions?|developer) override\b|\boverride (?:code|mode|command|protocol|sequence)\b",
    ),
    (
        Order::Role,
        r"\b(?:this is|we are|i am|i'm) (?:the|your|from the) (?:\w+ ){0,2}(?:security|admin|administration|it|ops|platform|compliance|legal|safety|support|operations) (?:team|department|desk|staff|officer)\b|\bas (?:the|an?|your) (?:\w+ ){0,2}(?:administrator|admin|owner|maintainer|operator|developer|root|manager|supervisor|creator|ceo|cto)(?: of [^,.\n]{0,40})?,? (?:i|we) \w+",
    ),
    (
        Order::Role,
        r#""(?:tool|tool_name|function|action|recipient_name)" ?: ?"[\w.]+" ?, ?"(?:arguments|args|input|parameters|params|command|cmd)"|"(?:command|cmd|script)" ?: ?"(?:sudo |rm |curl |wget |git push|bash |sh |chmod |nc |python)|"(?:instructions?|next_action|system_message)" ?: ?"[a-z]+[ _]"#,
    ),
    (
        Order::Role,
        r"\bend of (?:the |all |my )?(?:untrusted |quoted |external |tool |user |function |retrieved )*(?:output|input|results?|notes?|memory|context|content|data|document|instructions?|file)\b[^\n\w]*\n[^\n]*\w|\beverything (?:above|before|up to here)(?: this (?:line|point))? (?:was|is) (?:a |an |only |just )*(?:test|example|joke|draft|lie|fake|obsolete|void)\b",
    ),
    (
        Order::Role,
        r"(?:^|\n|<!-- ?|/\* ?|// ?|# ?)(?:note (?:to|for) |attention,? |dear |hey )?(?:the |all |any )?{READER}(?: reading (?:this|here))? ?[:!,]|<!-- ?(?:to |for )?(?:the |all |any )?(?:agents?|models?|bots?|ais?) ?[:!,]",
    ),
    (
        Order::Command,
        r"\byour (?:\w+ ){0,2}(?:instructions?|prompt|conversation|guidelines|training|supervisor|operator|creators?|system message|safeguards?|safety|goal|mission|objective|context (?:is|has|was)|api (?:provider|vendor))\b|\b(?:start over|begin again|restart) with (?:the|this|a) (?:following |new )?(?:goal|task|instruction)",
    ),
    (
        Order::Pretend,
        r"(?:^|[.!?:;\n] ?|\b(?:and|that|game|imagine|assume|suppose) )you are (?:an?|the|my) (?:[\w-]+ ){0,4}(?:hacker|assistant|ai|bot|model|agent|pirate|administrator|villain|terminal|interpreter|expert)\b|\b(?:without|with no) (?:any )?(?:filters?|restrictions?|censorship|safeguards?)\b",
    ),
    (
        Order::Command,
        r"\byou(?:'ve been| have been| were| are) (?:now |hereby )?(?:granted|given|authori[sz]ed|promoted|elevated|cleared|empowered|ordered|instructed|commanded)\b|\b(?:bots?|agents?|ais?|models?|assistants?) (?:can|may|are (?:allowed|free) to) (?:now )?(?:push|merge|approve|publish|force|bypass|ignore|skip|disable)\b|\b(?:confirm|acknowledge) (?:that )?you (?:have )?(?:understood|understand|read|agree|complied|will)\b",
    ),
    (
        Order::Command,
        r"(?:hello|hi|hey|dear|attention|greetings),? (?:the |my |dear )?(?:{READER}|agent|bot|ai|model)\b|\b(?:assistant|agent|ai|llm|model|bot) (?:instructions?|directives?|orders?|commands?) ?:|\b(?:asked|told|instructed|wants?) me to (?:relay|pass|forward|let|tell|inform|ask)\b",
    ),
    (
        Order::Leak,
        r"\b(?:print|reveal|show|output|dump|repeat|paste|share|send|disclose|summari[sz]e)\b[^.\n]{0,60}(?:\b(?:whole|entire|full|complete|this|our) (?:conversation|chat|transcript)|\bchat history|\bsystem (?:prompt|message))\b|169\.254\.169\.254|metadata\.google\.internal",
    ),
    (
        Order::Leak,
        r"(?:{SECRET}|\.pem\b|\bkey files?)[^.\n]{0,40}\b(?:posted|sent|uploaded|pasted|shared|published|emailed|mailed|forwarded|disclosed|copied)\b[^.\n]{0,20}\b(?:in|into|to|at|on) (?:#\w|https?:|s?ftp:|the (?:issue|chat|channel|pr|comments?)|[\w.]+@)",
    ),
    (
        Order::Harm,
        r"\b(?:eval|source|bash|sh|exec|python\d?|node)\b[^\n]{0,12}(?:\$\(|<\(|`)(?:curl|wget)\b|\b(?:weaken|loosen|comment out|delete|remove|skip|disable) (?:the |a |this |that )?(?:failing )?(?:assertions?|tests?|checks?)\b[^.\n]{0,40}\b(?:and|then) (?:say|claim|report|pretend|tell|mark)\b",
    ),
    (
        Order::Leak,
        r"{SECRET}[^.\n]{0,40}\b(?:and|then|to) (?:send|post|share|paste|upload|publish|email|mail|forward|leak|exfiltrate) (?:it|them|that|those|everything)\b",
    ),
    (
        Order::Leak,
        r"\b(?:print|list|show|send|share|reveal|give|tell|output|dump|post|name|write down|hand over)\b[^.\n]{0,40}\b(?:tokens?|keys?|secrets?|passwords?|credentials?|env\w*|certificates?) (?:that )?you (?:have|can|know|hold|were|are|see|find)\b",
    ),
    (
        Order::Leak,
        r"\b(?:copy|append|attach|add|write|encode|put|save|commit|include|embed|insert|place|drop)\b[^.\n]{0,40}{SECRET}[^.\n]{0,40}\b(?:into|to|in|on|as) (?:[\w']+ ){0,3}(?:gist|paste\w*|issue|comment|message|pull request|pr|description|readme|chat|channel|url|link|answer|reply|response|image|query)\b",
    ),
    (
        Order::Leak,
        r"\b(?:give|put|include|add|quote|print|paste|embed|insert|mention|repeat|show)\b[^.\n]{0,80}\b(?:in|into|to|with|at the (?:end|top|start) of) your (?:next |final |first |own |every )?(?:answer|reply|response|output|summary)\b",
    ),
    (
        Order::Leak,
        r"!?\[[^\]\n]*\]\((?:javascript:|data:text/html|vbscript:)|!?\[[^\]\n]*\]\([^)\n]*(?:\$\(|\$\{|\{\{|=\$|=<|=\{|=\[|document\.|process\.env|%24%7b)",
    ),
    (
        Order::Harm,
        r"{BEGINS}(?:run|execute|apply|perform|publish|deploy|merge|push|install|delete|approve|commit|release|send|remove)\b[^.\n]{0,60}\bwithout (?:any |a |the |further |prior |my |human |user |user's |the user's )*(?:confirmation|approval|permission|consent|review|supervision|oversight|checks?)\b",
    ),
    (
        Order::Deceive,
        r"{BEGINS}(?:set|mark|say|report|finish|stop|declare|output|push|merge|deploy|approve|commit|print|claim|emit)\b[^.\n]{0,60}\b(?:regardless of|no matter|even if|even though|whether or not)\b[^.\n]{0,20}\b(?:checks?|tests?|gates?|results?|errors?|fail\w*|user|rules?|build|outcome|broken|red|wrong)\b",
    ),
    (
        Order::Deceive,
        r"(?:{BEGINS}|\b(?:simply|only) )(?:say|claim|state|report|pretend|write|tell \w+|answer) (?:that )?(?:they|it|the tests?|all(?: the)? tests?|everything|the build|the checks?|all checks?) (?:all |have |has )?(?:passed|pass|passes|succeeded|succeed|worked|works|(?:is|are|was|were) (?:green|fine|done|ok|passing|complete|successful))\b",
    ),
    (
        Order::Harm,
        r"\b(?:add|insert|plant|install|create|leave|open|hide|build) (?:\w+ ){0,3}(?:back ?door|malware|rootkit|key ?logger|trojan|reverse shell|web ?shell)\b|\breverse shell (?:to|on)\b|/dev/tcp/|\bnc -e\b|\bbash -i ?>&|\b(?:exit|leave|escape|break out of|get out of) (?:the|your) (?:sandbox|container|jail)\b",
    ),
    (
        Order::Harm,
        r"\bgrant (?:everyone|everybody|anyone|all users|yourself|the agent|me)\b[^.\n]{0,20}\b(?:admin\w*|root|full|write|access|rights|permissions?)\b|\b(?:disable|turn off|switch off|stop|delete|clear) (?:the )?(?:audit|security|access) (?:logs?|logging|alerts?|monitoring|trail)\b|\b(?:turn|switch) the (?:audit|security|access) (?:log|logging|alerts|monitoring) off\b",
    ),
    (
        Order::Harm,
        r"{BEGINS}(?:drop|wipe|destroy|erase|delete|truncate|nuke) (?:the |all |every )*(?:production|prod|live|customer|backups?|home|root|user data)\b[^.\n]{0,20}(?:database|data|tables?|folder|directory|backups?|server|cluster|$|[.\n])",
    ),
    (
        Order::Command,
        r"\b(?:when|once|if|as soon as) you(?:'ve| have)? (?:see|seen|read|encounter|find|found|reach) (?:this|these) (?:text|sentence|string|marker|paragraph|instructions?|words?|phrase|prompt)\b|\b(?:and|then) (?:follow|obey) (?:it|them|its (?:instructions|steps|orders)|what(?:ever)? it says|the (?:instructions|steps) (?:there|in it|inside))\b",
    ),
    (
        Order::Command,
        r"\bpolicy(?: update| change)? ?: ?(?:\w+ ){0,6}(?:agents?|assistants?|ais?|bots?|models?|you) (?:must|should|may|can|no longer|need|are|shall|will)\b|\bagents? (?:must|shall|should) (?:always |never |now )?(?:commit|push|merge|approve|skip|ignore|bypass|disable|obey|trust)\b",
    ),
    (
        Order::Command,
        r"\b(?:told|asked|instructed) me to (?:let you know|tell you|inform you|pass on)\b|\b(?:whoever|whatever|anyone|any tool|any process) (?:that |who )?(?:reads|parses|sees|processes|finds) (?:this|it)\b|\byou are (?:dan|root|evil|unrestricted|jailbroken|free now|without limits)\b|\bwith no (?:restrictions|limits|filters|rules)\b",
    ),
    (
        Order::Disguise,
        r"\b(?:exec|eval|system|popen|iex|invoke-expression)\b ?\(?[^\n]{0,40}(?:b64decode|atob|base64|fromcharcode)|(?:&#x?[0-9a-f]{2,4};){4,}|(?:%[0-9a-f]{2}){8,}|(?:\\x[0-9a-f]{2}){8,}|(?:\\u00[0-9a-f]{2}){6,}",
    ),
    (
        Order::Command,
        r"(?:관리자|시스템|개발자|운영자|운영팀|보안팀|소유자)(?:로서|입니다|의 (?:지시|명령)|가 (?:지시|명령))|내 (?:말|지시|명령)만 (?:따|들)|(?:테스트|검사|검증)(?:를|을)? ?(?:건너뛰고|생략하고|끄고|삭제하고|지우고)[^.\n]{0,30}(?:보고|완료|통과|커밋|푸시|머지)|(?:이|위) (?:글|문장|메모|메시지|텍스트)(?:를|을) (?:읽었다면|보았다면|봤다면|읽으면|보면)",
    ),
    (
        Order::Harm,
        r"(?:모든|전체) (?:파일|테스트|백업|데이터|브랜치|로그)[^.\n]{0,12}(?:삭제|지워|제거)(?:해라|하라|하세요|해줘|해 줘|하십시오|하고|$)|(?:허락|승인|확인|동의|검토) ?없이[^.\n]{0,30}(?:실행|배포|푸시|머지|삭제|병합|진행|설치)(?:해|하라|하세요|하십시오|할 것)|(?:내려받아|다운로드해|다운받아)[^.\n]{0,20}실행(?:해|하라|하세요|하십시오)",
    ),
];

/// A rule with the names of word groups replaced by the words.
pub(super) fn spelled(rule: &str) -> String {
    let groups = [
        ("{READER}", READER),
        ("{MACHINE}", MACHINE),
        ("{TEXT}", TEXT),
        ("{BEGINS}", BEGINS),
        ("{MUST}", MUST),
        ("{ACT}", ACT),
        ("{SECRET}", SECRET),
        ("{GUARD}", GUARD),
    ];
    let rule = groups.iter().fold(rule.to_owned(), |rule, (name, words)| rule.replace(name, words));
    // A dot inside a name ends no sentence. Letters and ends of words are those
    // of English: those of all scripts make the patterns many times as large.
    let rule = rule.replace(r"[^.\n]", r"(?:[^.\n]|\.\w)");
    rule.replace(r"\w", "[a-z0-9_]").replace(r"\b", r"(?-u:\b)")
}
