//! The list of signature schemes that the index holds for its texts.

use serde::Deserialize;
use simdex_schema::Schemes;
use simdex_signature::SchemeKind;

use super::Value;

/// Names of schemes, each once, Mod_n among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct SchemeList(Schemes);

impl SchemeList {
    /// A list of these schemes and Mod_n.
    pub const fn of(schemes: &[SchemeKind]) -> Self {
        Self(Schemes::of(schemes))
    }

    /// The schemes in their stored form.
    pub const fn schemes(self) -> Schemes {
        self.0
    }
}

impl TryFrom<Vec<String>> for SchemeList {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        let mut schemes = Vec::new();
        for name in &names {
            let scheme = Schemes::ALL.into_iter().find(|known| known.name() == name);
            let scheme = scheme.ok_or_else(|| {
                let all = "mod_n, bsw_n, min_n, sketch_n and super_shingles";
                format!("signature.schemes names {name:?}; it may name {all}")
            })?;
            if schemes.contains(&scheme) {
                return Err(format!(
                    "signature.schemes names {name} twice; name it once"
                ));
            }
            schemes.push(scheme);
        }
        match schemes.contains(&SchemeKind::ModN) {
            true => Ok(Self::of(&schemes)),
            false => Err(
                "signature.schemes does not name mod_n, by which groups are found; add it"
                    .to_owned(),
            ),
        }
    }
}

impl From<SchemeList> for Value {
    fn from(list: SchemeList) -> Self {
        Self::Names(list.0.of_texts().map(SchemeKind::name).collect())
    }
}

/// Refuses the switch that this list replaced, and says what to write instead.
pub(super) fn check_renamed(table: &toml::Table) -> Result<(), String> {
    let section = table.get("signature").and_then(toml::Value::as_table);
    let Some(old) = section.and_then(|section| section.get("bsw_n")) else {
        return Ok(());
    };
    let new = match old.as_bool() {
        Some(false) => r#"schemes = ["mod_n"]"#,
        _ => r#"schemes = ["mod_n", "bsw_n"]"#,
    };
    Err(format!(
        "signature.bsw_n = {old} is no key any more; write {new} in its place, which is the same"
    ))
}
