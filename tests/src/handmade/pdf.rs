//! PDF files (ISO 32000-1) of hand-made objects.

/// An object with a stream; `entries` stand in its dictionary beside the length.
pub fn stream(entries: &str, data: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
    object.extend(data);
    object.extend(b"\nendstream");
    object
}

/// A file of these objects, numbered from 1; the first is the catalogue. `trailer` stands in the
/// trailer's dictionary.
pub fn pdf_with(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut table = String::from("0000000000 65535 f \n");
    for (at, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", bytes.len());
        bytes.extend(format!("{} 0 obj\n", at + 1).bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let (start, size) = (bytes.len(), objects.len() + 1);
    let size = if trailer.contains("/Size") {
        String::new()
    } else {
        format!("/Size {size}")
    };
    bytes.extend(format!("xref\n0 {}\n{table}", objects.len() + 1).bytes());
    bytes.extend(format!("trailer\n<< /Root 1 0 R {size} {trailer} >>\n").bytes());
    bytes.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
    bytes
}

/// The objects of one page: catalogue, pages, page, font, and last its contents. `extra` stands in
/// the page's dictionary.
pub fn page(extra: &str, contents: Vec<u8>) -> Vec<Vec<u8>> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R \
             /Resources << /Font << /F1 4 0 R >> >> {extra} >>"
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    let mut objects: Vec<Vec<u8>> = objects.map(String::into_bytes).to_vec();
    objects.push(contents);
    objects
}

/// Operators that show one line for each text.
pub fn lines<T: AsRef<str>>(texts: &[T]) -> String {
    let mut operators = String::from("BT /F1 12 Tf 50 750 Td 14 TL\n");
    for text in texts {
        operators += &format!("({}) Tj T*\n", text.as_ref());
    }
    operators + "ET\n"
}

/// One page that says this, a line each.
pub fn pdf<T: AsRef<str>>(texts: &[T]) -> Vec<u8> {
    pdf_with(&page("", stream("", lines(texts).as_bytes())), "")
}
