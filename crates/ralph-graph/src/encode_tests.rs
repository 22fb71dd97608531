use proptest::prelude::*;

use super::*;
use crate::facts::Interner;
use crate::family::LanguageFamily;
use crate::outline::{self, NameKey};

const SPANS: std::ops::Range<u32> = 0..2_000_000;

fn span() -> impl Strategy<Value = SourceSpan> {
    (SPANS, SPANS, SPANS, SPANS, SPANS).prop_map(|(start, end, line, column, last_line)| {
        SourceSpan { start, end, line, column, last_line }
    })
}

fn name() -> impl Strategy<Value = NameId> {
    (0..6_u32).prop_map(NameId)
}

fn qualifier() -> impl Strategy<Value = Qualifier> {
    prop_oneof![
        Just(Qualifier::None),
        Just(Qualifier::Itself),
        Just(Qualifier::Parent),
        Just(Qualifier::Unknown),
        name().prop_map(Qualifier::Path),
        name().prop_map(Qualifier::OfType),
    ]
}

fn imported() -> impl Strategy<Value = ImportedNames> {
    prop_oneof![
        Just(ImportedNames::Everything),
        proptest::option::of(name()).prop_map(|local| ImportedNames::Module { local }),
        (name(), name()).prop_map(|(name, local)| ImportedNames::Name { name, local }),
    ]
}

fn definition() -> impl Strategy<Value = SourceDefinition> {
    let texts = (".{0,20}", proptest::option::of(".{0,20}"));
    let purpose =
        proptest::sample::select(vec![CodePurpose::Code, CodePurpose::Test, CodePurpose::Case]);
    let flags = (0..14_u8, 0..5_u8, purpose);
    let parts = (name(), proptest::option::of(name()), texts, span(), span(), flags);
    parts.prop_map(|(name, owner, (signature, doc), span, name_span, (code, from, purpose))| {
        SourceDefinition {
            kind: kind(code).unwrap(),
            name,
            container: None,
            owner,
            signature: signature.into(),
            doc: doc.map(Into::into),
            span,
            name_span,
            reach: reach(from).unwrap(),
            purpose,
        }
    })
}

fn reference() -> impl Strategy<Value = Reference> {
    (0..6_u8, name(), qualifier(), proptest::option::of(0..4_u32), span()).prop_map(
        |(code, name, qualifier, within, span)| Reference {
            role: role(code).unwrap(),
            name,
            qualifier,
            within: within.map(DefinitionId),
            span,
        },
    )
}

fn import() -> impl Strategy<Value = Import> {
    (name(), imported(), any::<bool>(), proptest::option::of(0..4_u32), span()).prop_map(
        |(module, imported, passed_on, within, span)| Import {
            module,
            imported,
            passed_on,
            within: within.map(DefinitionId),
            span,
        },
    )
}

fn any_facts() -> impl Strategy<Value = FileFacts> {
    let lists = (
        proptest::collection::vec(definition(), 0..8),
        proptest::collection::vec(reference(), 0..20),
        proptest::collection::vec(import(), 0..5),
        proptest::collection::vec((0..9_u32, name()), 0..3),
        proptest::collection::btree_map((0..8_u32).prop_map(DefinitionId), name(), 0..3),
        proptest::option::of(0..100_u32),
    );
    lists.prop_map(|(mut definitions, references, imports, implementors, types, line)| {
        let mut names = Interner::default();
        for text in ["save", "Store", "a.b", "", "키", "load_all"] {
            names.intern(text);
        }
        for (index, definition) in (0_u32..).zip(&mut definitions) {
            definition.container = (index % 3 == 2).then(|| DefinitionId(index - 1));
        }
        FileFacts {
            names: names.names,
            definitions,
            references,
            imports,
            types: types.into_iter().collect(),
            implementors,
            health: health(line),
        }
    })
}

proptest! {
    #[test]
    fn facts_come_back_as_they_were(before in any_facts()) {
        prop_assert_eq!(read_facts(&facts(&before)), Some(before));
    }

    #[test]
    fn an_outline_says_the_same_as_the_facts(before in any_facts()) {
        let outline = outline::decode(&outline::encode(LanguageFamily::Rust, &before)).unwrap();
        prop_assert_eq!(outline.definitions.len(), before.definitions.len());
        for (short, full) in outline.definitions.iter().zip(&before.definitions) {
            prop_assert_eq!(outline.names.text(short.name), before.names.text(full.name));
            prop_assert_eq!((short.kind, short.line), (full.kind, full.name_span.line));
        }
        for (short, full) in outline.imports.iter().zip(&before.imports) {
            prop_assert_eq!(outline.names.text(short.module), before.names.text(full.module));
        }
        for (id, of) in &before.types {
            prop_assert_eq!(outline.type_of(*id), Some(before.names.text(*of)));
        }
        prop_assert_eq!(outline.types.len(), before.types.len());
        for (id, text) in before.names.iter() {
            let times = before.references.iter().filter(|reference| reference.name == id).count();
            prop_assert_eq!(outline.mentions(NameKey::of(text)) as usize, times);
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_read_as_something_else_but_never_a_panic(
        before in any_facts(), at in any::<proptest::sample::Index>(), value: u8, cut: bool,
    ) {
        for mut bytes in [facts(&before), outline::encode(LanguageFamily::Rust, &before)] {
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] = value }
            let _ = read_facts(&bytes);
            let _ = outline::decode(&bytes);
        }
    }
}
