//! Names of the users who own files, as this machine knows them.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Where user names are stored. Enterprise directories (LDAP) are not asked: their users have no name here.
const USERS: &str = "/etc/passwd";
/// Bytes of the file that are read at most.
const LONGEST: u64 = 16 << 20;

/// User names by number.
#[derive(Debug, Default)]
pub struct Owners(HashMap<u32, String>);

impl Owners {
    /// The users of this machine; none if they cannot be read.
    pub fn of_machine() -> Self {
        Self::read(Path::new(USERS))
    }

    fn read(path: &Path) -> Self {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes));
        match read {
            Ok(_) => Self::parse(&String::from_utf8_lossy(&bytes)),
            Err(_) => Self::default(),
        }
    }

    /// Lines `name:password:number:…`, passwd(5); the first of two names for one number counts.
    fn parse(text: &str) -> Self {
        let mut names = HashMap::new();
        for line in text.lines() {
            let mut parts = line.split(':');
            let (name, number) = (parts.next(), parts.nth(1));
            if let (Some(name), Some(Ok(number))) = (name, number.map(str::parse::<u32>)) {
                names.entry(number).or_insert_with(|| name.to_owned());
            }
        }
        Self(names)
    }

    /// The name of a user.
    pub fn name(&self, owner: Option<u32>) -> Option<&str> {
        self.0.get(&owner?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_named_by_number_and_odd_lines_passed_over() {
        let text = "root:x:0:0:root:/root:/bin/sh\n# note\n+::::::\n\
                    anna:x:1001:1001:Anna:/home/anna:/bin/sh\nalias:x:1001:1:::\nbad:x:-1:0::\n";
        let owners = Owners::parse(text);
        assert_eq!(owners.name(Some(1001)), Some("anna"));
        assert_eq!(owners.name(Some(0)), Some("root"));
        assert_eq!(owners.name(Some(7)), None);
        assert_eq!(owners.name(None), None);
        assert!(Owners::read(Path::new("/nowhere")).0.is_empty());
    }
}
