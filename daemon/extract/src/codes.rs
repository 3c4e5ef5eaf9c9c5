//! Fixed lists of codes that are stored and shown: each with its meaning, so that none can lack it.

/// Declares an enum of codes. The first doc line of each variant is its meaning.
macro_rules! codes {
    ($(#[$about:meta])* $list:ident {
        $($(#[doc = $meaning:literal])+ $name:ident = $code:literal,)+
    }) => {
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize,
            serde::Deserialize,
        )]
        pub enum $list {
            $($(#[doc = $meaning])+ #[serde(rename = $code)] $name,)+
        }

        impl $list {
            /// Every one, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The stored name: short, kebab-case, never changed.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// One line for people.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($meaning),+).trim_ascii_start(),)+ }
            }
        }

        impl std::fmt::Display for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.code())
            }
        }

        #[cfg(test)]
        mod codes {
            #[test]
            fn every_code_is_its_own_and_kebab_case_and_has_a_meaning() {
                let all = super::$list::ALL;
                let codes: std::collections::BTreeSet<_> = all.iter().map(|c| c.code()).collect();
                assert_eq!(codes.len(), all.len());
                for one in all {
                    let code = one.code();
                    let kebab = |b: u8| b.is_ascii_lowercase() || b == b'-';
                    assert!(code.bytes().all(kebab), "{code}");
                    assert_eq!(serde_json::to_string(one).unwrap(), format!("\"{code}\""));
                    assert!(!one.meaning().is_empty() && !one.meaning().starts_with(' '));
                }
            }
        }
    };
}

pub(crate) use codes;
