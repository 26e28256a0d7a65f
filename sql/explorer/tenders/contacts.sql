-- Contact points of one tender. Names are NULL if the configuration keeps no personal data.
SELECT kind, type, name FROM core.tender_contacts WHERE slug = $slug ORDER BY position
