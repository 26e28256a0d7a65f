-- Attachments of one tender.
SELECT url FROM core.tender_attachments WHERE slug = $slug ORDER BY position
