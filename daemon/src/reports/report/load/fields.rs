//! The fields of a load file: what each holds, and its name in each profile.
//!
//! Names that a platform has for a field are its own; the others are ours, in the platform's style.

use std::fmt::Display;

use simdex_proto::lines::{base64, date, lossy};

use super::{GroupPlace, Profile};
use crate::reports::report::{ReportFile, text_path};

macro_rules! fields {
    ($($field:ident: $short:literal, $relativity:literal, $law:literal, $brainspace:literal, $purview:literal;)*) => {
        /// A field of a load file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Field { $($field,)* }

        impl Field {
            /// Every field, in the order of a row.
            pub(super) const ALL: &[Self] = &[$(Self::$field,)*];

            /// Its name in a profile.
            pub(super) fn name(self, profile: Profile) -> &'static str {
                match self {
                    $(Self::$field => match profile {
                        Profile::Short => $short,
                        Profile::Relativity => $relativity,
                        Profile::Law => $law,
                        Profile::Brainspace => $brainspace,
                        Profile::Purview => $purview,
                    },)*
                }
            }
        }
    };
}

// Sources: the help of Relativity Server (textual near duplicate results), of CloudNine LAW (ND_ fields), of
// Brainspace (brs_ fields) and of Microsoft Purview (review set and export fields).
fields! {
    Id: "DOCID", "Control Number", "DocID", "control_number", "File_ID";
    Group: "NDGROUP", "Simdex::Textual Near Duplicate Group", "ND_FamilyID", "brs_near_dup_set_id", "ND_set";
    IsPrincipal: "NDPRIN", "Simdex::Textual Near Duplicate Principal", "ND_IsMaster", "simdex_is_principal", "Marked_as_pivot";
    PrincipalId: "NDPRINID", "Simdex::Principal Control Number", "SDX_MasterID", "simdex_principal_id", "Pivot_ID";
    Similarity: "NDSIM", "Simdex::Textual Near Duplicate Similarity", "ND_Similarity", "simdex_similarity", "Similarity_percent";
    Resemblance: "NDRESEMBL", "Simdex::Resemblance", "SDX_Resemblance", "simdex_resemblance", "Simdex_resemblance";
    InPrincipal: "NDCONTAIN", "Simdex::Containment in Principal", "SDX_InMaster", "simdex_containment_in_principal", "Simdex_containment_in_pivot";
    OfPrincipal: "NDPRINCONT", "Simdex::Containment of Principal", "SDX_OfMaster", "simdex_containment_of_principal", "Simdex_containment_of_pivot";
    Relation: "NDRELATION", "Simdex::Relation", "SDX_Relation", "simdex_relation", "Simdex_relation";
    GroupFiles: "NDFILES", "Simdex::Group Files", "SDX_FamilyFiles", "simdex_group_files", "Simdex_set_files";
    GroupTexts: "NDTEXTS", "Simdex::Group Texts", "SDX_FamilyTexts", "simdex_group_texts", "Simdex_set_texts";
    Requested: "NDASKED", "Simdex::Asked", "SDX_Asked", "simdex_asked", "Simdex_asked";
    TextHash: "TEXTHASH", "Simdex::Text Hash", "ND_ContentHash", "brs_exact_dup_set_id", "Duplicate_subset";
    FileHash: "FILEHASH", "BLAKE3 Hash", "SDX_FileHash", "brs_strict_dup_set_id", "Simdex_file_hash";
    Path: "FILEPATH", "File Path", "FilePath", "file_path", "Input_path";
    PathBytes: "PATHB64", "Simdex::Path Bytes", "SDX_PathBytes", "simdex_path_bytes", "Simdex_path_bytes";
    Name: "FILENAME", "File Name", "FileName", "file_name", "Native_file_name";
    Root: "ROOT", "Simdex::Root", "SDX_Root", "simdex_root", "Location_name";
    Parent: "PARENTID", "Parent Document ID", "ParentID", "parent_id", "Parent_ID";
    Custodian: "CUSTODIAN", "Custodian", "Custodian", "custodian", "Custodian";
    OwnerId: "OWNERID", "Simdex::Owner ID", "SDX_OwnerID", "simdex_owner_id", "Simdex_owner_id";
    Modified: "MODIFIED", "File Modified Date/Time", "DateModified", "date_modified", "Simdex_file_modified";
    Saved: "DOCMODIFIED", "Document Modified Date/Time", "DocDateModified", "doc_date_modified", "Doc_date_modified";
    Created: "DOCCREATED", "Document Created Date/Time", "DocDateCreated", "doc_date_created", "Doc_date_created";
    Sent: "SENT", "Sent Date/Time", "DateSent", "date_sent", "Email_date_sent";
    Author: "AUTHOR", "Author", "Author", "author", "Doc_author";
    Title: "TITLE", "Title", "Title", "title", "Doc_title";
    MediaType: "MEDIATYPE", "MIME Type", "MimeType", "mime_type", "Simdex_mime_type";
    Bytes: "FILESIZE", "File Size", "FileSize", "file_size", "Native_size";
    State: "STATE", "Simdex::State", "SDX_State", "simdex_state", "Simdex_state";
    Reason: "REASON", "Simdex::Reason", "SDX_Reason", "simdex_reason", "Simdex_reason";
    Text: "TEXTPATH", "Extracted Text", "TextPath", "text_path", "Extracted_text_path";
}

/// The data of a row.
pub(super) struct LoadRow<'a> {
    pub(super) file: &'a ReportFile<'a>,
    /// Its place in a group.
    pub(super) place: Option<GroupPlace<'a>>,
    /// Whether the report was asked about it; `None` if the report was not asked about any files.
    pub(super) is_requested: Option<bool>,
    /// Its container, if that has a row too.
    pub(super) container: Option<&'a [u8]>,
    /// Whether the report has its text.
    pub(super) has_text: bool,
    /// Whether the format holds its path unchanged.
    pub(super) is_exact: bool,
}

/// The id of a file in a load file: `F` and 32 digits of BLAKE3 over its path. It is the same in every report,
/// whatever else is there. With this many digits, nobody can construct two paths with one id.
pub(super) fn id(path: &[u8]) -> String {
    format!("F{:032x}", id_number(path))
}

/// The digits of [`id`] as a number.
pub(super) fn id_number(path: &[u8]) -> u128 {
    let hash = blake3::hash(path);
    u128::from_be_bytes(hash.as_bytes().first_chunk().copied().unwrap_or_default())
}

impl LoadRow<'_> {
    /// The value of a field; empty if there is none.
    pub(super) fn value(&self, field: Field, profile: Profile) -> String {
        let file = self.file;
        let [yes, no] = yes_and_no(profile);
        match field {
            Field::Id => id(file.path),
            Field::Requested => self.is_requested.map_or(String::new(), |is_requested| {
                if is_requested { yes } else { no }.to_owned()
            }),
            Field::TextHash => file
                .document
                .map(|hash| hash.to_string())
                .unwrap_or_default(),
            Field::FileHash => file
                .content
                .map(|hash| hash.to_string())
                .unwrap_or_default(),
            Field::Path => lossy(file.path),
            Field::PathBytes if self.is_exact => String::new(),
            Field::PathBytes => base64(file.path),
            Field::Name => lossy(file.name()),
            Field::Root => lossy(file.root),
            Field::Parent => self.container.map(id).unwrap_or_default(),
            Field::Custodian => file.owner_name.unwrap_or_default().to_owned(),
            Field::OwnerId => shown(file.owner),
            Field::Modified => date(file.modified).unwrap_or_default(),
            Field::Saved => file.fact("modified").to_owned(),
            Field::Created => file.fact("created").to_owned(),
            Field::Sent => file.fact("sent").to_owned(),
            Field::Author => file.fact("author").to_owned(),
            Field::Title => file.fact("title").to_owned(),
            Field::MediaType => file.media_type.to_owned(),
            Field::Bytes => shown(file.bytes),
            Field::State => file.state.to_owned(),
            Field::Reason => file.reason.to_owned(),
            Field::Text => self.text(),
            _ => self
                .place
                .map_or_else(String::new, |place| of_group(field, &place, [yes, no])),
        }
    }

    /// Path of its text, relative to the load file.
    fn text(&self) -> String {
        let text = self.file.document.filter(|_| self.has_text);
        text.map(|text| format!("../{}", text_path(&text)))
            .unwrap_or_default()
    }
}

/// The value of a field that describes a group.
fn of_group(field: Field, place: &GroupPlace<'_>, [yes, no]: [&str; 2]) -> String {
    let (member, is_principal) = (place.member, place.is_principal());
    match field {
        Field::Group => place.id.to_string(),
        Field::IsPrincipal => if is_principal { yes } else { no }.to_owned(),
        Field::PrincipalId => id(&place.principal.path),
        Field::Similarity => shown(member.resemblance.map(percent)),
        Field::Resemblance => shown(member.resemblance),
        Field::InPrincipal => shown(member.containment_of_member),
        Field::OfPrincipal => shown(member.containment_of_principal),
        Field::Relation if is_principal => "principal".to_owned(),
        Field::Relation => member.relation.unwrap_or_default().to_owned(),
        Field::GroupFiles => place.files.to_string(),
        Field::GroupTexts => place.texts.to_string(),
        _ => String::new(),
    }
}

/// The words for yes and no in a profile.
fn yes_and_no(profile: Profile) -> [&'static str; 2] {
    match profile {
        Profile::Relativity | Profile::Brainspace | Profile::Purview => ["Yes", "No"],
        Profile::Law | Profile::Short => ["Y", "N"],
    }
}

/// A ratio as a whole number from 0 to 100, rounded down: only identical texts have 100.
fn percent(ratio: f64) -> u8 {
    (ratio * 100.0 + 1e-9).clamp(0.0, 100.0) as u8
}

fn shown(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
