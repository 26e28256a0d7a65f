-- Macros that say why records are missing. schemas/pipeline/reason.ts says the same in a run that has not ended yet.

-- Returns a count with the name of a stream's records: `3 reports`.
CREATE OR REPLACE TEMP MACRO counted_records(stream, n) AS
  format('{:,} ', n) || CASE stream
    WHEN 'companies' THEN if(n = 1, 'company record', 'company records')
    WHEN 'companies_v1' THEN if(n = 1, 'company record', 'company records') || ' of version 1'
    WHEN 'financials' THEN if(n = 1, 'report', 'reports')
    WHEN 'financials_v1' THEN if(n = 1, 'report', 'reports') || ' of version 1'
    WHEN 'financials_ticker' THEN if(n = 1, 'report', 'reports') || ' by ticker'
    WHEN 'executives' THEN if(n = 1, 'list', 'lists') || ' of executives'
    WHEN 'employees' THEN if(n = 1, 'list', 'lists') || ' of employees'
    WHEN 'employee_details' THEN if(n = 1, 'record of an employee', 'records of employees')
    WHEN 'ownership' THEN if(n = 1, 'answer', 'answers') || ' about owners'
    WHEN 'ownership_jobs' THEN if(n = 1, 'job', 'jobs') || ' about owners'
    WHEN 'tender_details' THEN if(n = 1, 'tender', 'tenders')
    WHEN 'watch_events' THEN if(n = 1, 'list', 'lists') || ' of watch events'
    WHEN 'matches' THEN if(n = 1, 'question', 'questions')
    WHEN 'enrichments' THEN if(n = 1, 'question', 'questions')
    WHEN 'payee_checks' THEN if(n = 1, 'payee check', 'payee checks')
    WHEN 'payee_reports' THEN if(n = 1, 'payee report', 'payee reports')
    ELSE if(n = 1, 'record', 'records') || ' of ' || stream
  END;

-- Returns the sentence of a reason about records.
CREATE OR REPLACE TEMP MACRO records_sentence(code, stream, n) AS
  counted_records(stream, n) || CASE code
    WHEN 'records_not_requested' THEN if(n = 1, ' was', ' were') || ' not requested.'
    ELSE if(code = 'records_failed', ' could not be fetched', ' could not be read')
      || '; `tidemark rejects` lists ' || if(n = 1, 'it.', 'them.')
  END;
