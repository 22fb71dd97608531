//! Flaws that were planted, and how many of each language are found.
//!
//! `--nocapture` shows those that are missed.

use std::path::Path;

use super::RulePack;
use crate::formats::FindingCollector;

/// A file and its contents. A `~` splits each secret, as this source must not hold one; it is
/// removed.
type PlantedFlaw = (&'static str, &'static str);

#[track_caller]
fn check(language: &str, planted: &[PlantedFlaw], most_missed: &[&str]) {
    let pack = RulePack::builtin();
    let mut missed = Vec::new();
    for (file, source) in planted {
        let mut out = FindingCollector::new(Path::new("/"), "");
        pack.scan_file(Path::new(file), &source.replace('~', ""), &mut out);
        if out.finish().counts.security == 0 {
            missed.push(*source);
        }
    }
    println!("{language}: {} of {}", planted.len() - missed.len(), planted.len());
    assert_eq!(missed, most_missed, "{language}");
}

#[test]
fn flaws_planted_in_python_are_found() {
    let flaws = [
        "cur.execute(\"SELECT a FROM b WHERE c = '%s'\" % name)",
        "cur.execute(f\"SELECT a FROM b WHERE c = '{name}'\")",
        "os.system(\"ls \" + name)",
        "subprocess.run(f\"ls {name}\", shell=True)",
        "eval(request.args[\"x\"])",
        "pickle.loads(data)",
        "import yaml\nyaml.load(data)",
        "import requests\nrequests.get(url, verify=False)",
        "app.run(debug=True)",
        "password = \"Tr0ub4dor&3xyz\"",
        "def f():\n    return open(request.args[\"f\"]).read()",
        "def f():\n    name = request.args.get(\"f\")\n    return open(\"/srv/\" + name).read()",
        "def f():\n    return redirect(request.args.get(\"next\"))",
        "from lxml import etree\ndef f():\n    return etree.fromstring(request.data)",
        "requests.get(request.args[\"url\"])",
        "render_template_string(request.args[\"t\"])",
        "jwt.decode(token, options={\"verify_signature\": False})",
        "token = random.randint(0, 999999)",
        "tarfile.open(path).extractall(target)",
        "os.chmod(path, 0o777)",
        "Environment(autoescape=False)",
    ];
    check("Python", &flaws.map(|source| ("a.py", source)), &[]);
}

#[test]
fn flaws_planted_in_typescript_are_found() {
    let redos = "const re = /^(a+)+$/; re.test(req.query.x);";
    let flaws = [
        "db.query(`SELECT a FROM b WHERE c = '${name}'`);",
        "exec('ls ' + name);",
        "eval(req.query.x);",
        "new Function('a', body);",
        "el.innerHTML = '<p>' + req.query.name;",
        "res.redirect(req.query.next);",
        "fs.readFileSync(req.query.path);",
        "fetch(req.query.url);",
        "axios.get(req.query.url);",
        "jwt.verify(token, key, { algorithms: ['none'] });",
        "const agent = new https.Agent({ rejectUnauthorized: false });",
        "const token = Math.random().toString(36);",
        "const password = 'Tr0ub4dor&3xyz';",
        "crypto.createCipheriv('des-ecb', key, null);",
        "fs.chmodSync(path, 0o777);",
        "app.get('/', (req, res) => { res.send(`<p>${req.query.name}</p>`); });",
        "spawn('ls', [dir], { shell: true });",
        "setTimeout(\"run('\" + name + \"')\", 10);",
        "serialize.unserialize(req.body.data);",
        redos,
    ];
    check("TypeScript", &flaws.map(|source| ("a.ts", source)), &[redos]);
}

#[test]
fn flaws_planted_in_go_are_found() {
    let flaws = [
        "db.Query(\"SELECT a FROM b WHERE c = '\" + name + \"'\")",
        "exec.Command(\"sh\", \"-c\", \"ls \"+name)",
        "c := &tls.Config{InsecureSkipVerify: true}",
        "password := \"Tr0ub4dor&3xyz\"",
        "name := r.FormValue(\"n\")\n\tfmt.Fprintf(w, \"<h1>%s</h1>\", name)",
        "name := r.FormValue(\"n\")\n\th := template.HTML(name)",
        "name := r.URL.Query().Get(\"f\")\n\tos.ReadFile(\"/srv/\" + name)",
        "os.Open(r.FormValue(\"f\"))",
        "http.Redirect(w, r, r.FormValue(\"to\"), 302)",
        "u := r.FormValue(\"u\")\n\thttp.Get(u)",
        "os.WriteFile(\"a\", data, 0666)",
        "os.Chmod(\"a\", 0777)",
        "x := \"gh~p_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5\"",
        "token := rand.Intn(999999)",
    ];
    let files = flaws.map(|source| {
        let text = format!(
            "package a\nimport \"math/rand\"\nfunc f(w http.ResponseWriter, r *http.Request) {{\n\t{source}\n}}\n"
        );
        ("a.go", &*text.leak())
    });
    check("Go", &files, &[]);
}

#[test]
fn keys_planted_in_code_and_settings_are_found_and_what_stands_for_them_is_not() {
    let keys = [
        ("a.py", "client(\"AK~IA2E7QXR5WVTPLMZ4K\")\n"),
        ("a.ts", "const gh = 'gh~p_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5';\n"),
        ("a.rs", "let x = \"xo~xb-1234567890-abcdefXYZ987\";\n"),
        ("config/app.yml", "url: postgres://app:hunter2~real@db.corp.net/x\n"),
        (".env", "SLACK=xo~xb-1234567890-abcdefXYZ987\n"),
        (".env", "DB_PASSWORD=t4lk-t0-n0b0dy\n"),
        ("deploy.pem", "-----BEGIN RSA ~PRIVATE KEY-----\nMIIE\n"),
        ("settings.json", "{\"stripe\": \"sk_~live_4eC39HqLyjWDarjtT1zdp7dc\"}\n"),
        (".npmrc", "//r.corp.net/:_authToken=np~m_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5\n"),
    ];
    check("keys", &keys, &[]);
    let stand_ins = [
        ("a.py", "client(\"AKIAIOSFODNN7EXAMPLE\")\n"),
        (".env.example", "SLACK=xo~xb-1234567890-abcdefXYZ987\n"),
        (".env", "DB_PASSWORD=changeme\n"),
        ("a.yml", "url: postgres://app:${DB_PASSWORD}@db.corp.net/x\n"),
        ("tests/a.py", "client(\"AK~IA2E7QXR5WVTPLMZ4K\")\n"),
        ("a.py", "x = 1  # ast-grep-ignore\ny = \"AK~IA2E7QXR5WVTPLMZ4K\"\n"),
    ];
    let all = stand_ins.map(|(_, source)| source);
    check("stand-ins", &stand_ins, &all);
}
