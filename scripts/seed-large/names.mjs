// What members are called. With accents, strokes and other scripts, as on any site.

export const FIRST_NAMES = words(`
  Olivia Emma Charlotte Amelia Sophia Mia Isabella Ava Evelyn Luna Harper Sofia Camila Eleanor Elizabeth Violet Scarlett
  Emily Hazel Lily Gianna Aurora Penelope Aria Nora Chloe Ellie Mila Avery Layla Abigail Ella Isla Eliana Nova Madison Zoe
  Liam Noah Oliver James Elijah Mateo Theodore Henry Lucas William Benjamin Levi Sebastian Jack Ezra Michael Daniel Leo
  Owen Samuel Hudson Alexander Asher Luca Ethan John David Jackson Joseph Mason Luke Matthew Julian Dylan Elias Jacob
  Renée Zoë José Łukasz Jürgen Søren Óscar Anaïs Ásgeir Błażej Chloé Dóra Éloïse Françoise Göran Håkon Inès Jiří Kübra
  Loïc Małgorzata Ngọc Ömer Pál Özlem Ragnhild Šárka Þórunn Ümit Vojtěch Wojciech Ýmir Živa Björn Agnès Đorđe Gülşen
  Priya Arjun Ananya Rohan Lakshmi Vikram Sita Hari Bishnu Pemba Tenzin Dawa Aiko Haruto Yui Ren Wei Fang Jing Chen
  陽菜 翔太 小明 美玲 Юлия Иван Ольга Дмитрий Νίκος Ελένη`)

export const LAST_NAMES = words(`
  Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas
  Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King
  Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gomez
  Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Gutierrez Ortiz
  Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson Watson Brooks Chavez Wood Bennett Gray
  Müller Schröder Weiß Jørgensen Ødegård Łukasiewicz Kowalczyk Wójcik Nováková Dvořák Ağaoğlu Yıldız Çelik Gonçalves
  Araújo Muñoz Peña Castaño Lefèvre Bélanger Côté Gagné Sjöström Åkesson Jónsdóttir Ó’Brien Nagy Szabó Kovačević Đurić
  Sharma Patel Banerjee Chatterjee Thapa Gurung Rai Sherpa Tamang Adhikari Tanaka Suzuki Watanabe Sato Wang Zhang Liu
  田中 鈴木 王 李 Иванов Смирнова Παπαδόπουλος Γεωργίου Smith-Jones van der Berg de la Cruz MacDonald O'Neill`)

export const DOMAINS = words(`
  post.example inbox.example letters.example correo.example posta.example courrier.example brief.example epost.example
  firma.example studio.example university.example school.example town.example clinic.example museum.example press.example`)

function words(text) {
  return text.trim().split(/\s+/)
}
