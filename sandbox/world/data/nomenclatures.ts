/* Lookup values copied word for word from the reference (version 1, "Nomenclature lookup lists"). */

export interface Entry {
  id: number;
  name: string;
}

export interface Department extends Entry {
  parent_id: number | null;
}

const list = (entries: readonly (readonly [number, string])[]): Entry[] => entries.map(([id, name]) => ({ id, name }));

export const COMPANY_STATUS = list([
  [199, 'Active'],
  [200, 'Inactive'],
  [201, 'Intermediate'],
]);

export const ACTIVITY_TYPE = list([
  [1, 'Producer'],
  [2, 'Distributor'],
  [3, 'Service Provider'],
]);

export const REGIONS = list([
  [1, 'Asia'],
  [2, 'Europe'],
  [3, 'Africa'],
  [4, 'Latin America'],
  [5, 'Middle East'],
  [6, 'Caribbean'],
  [7, 'North America'],
]);

export const SUBSIDIARY_STATUS = list([
  [1, 'Subsidiary'],
  [2, 'Not a Subsidiary'],
]);

export const SENIORITY_LEVEL = list([
  [14, 'CXO'],
  [15, 'Director'],
  [16, 'Manager'],
  [17, 'Non-Manager'],
  [18, 'Owner'],
  [19, 'Partner'],
  [20, 'Senior'],
  [21, 'VP'],
]);

export const OWNERSHIP_TYPES = list([
  [2, 'Owned by a Public Company'],
  [8, 'Private unlimited with Share Capital'],
  [9, 'Private Ltd By Guarantee w/o Share Cap'],
  [10, 'Limited Partnership'],
  [11, 'Company Converted/Closed'],
  [12, 'Unlimited/No Share Capital'],
  [13, 'Limited'],
  [14, 'Other'],
  [15, 'Public limited with Share Capital'],
  [16, 'Private limited with Share Capital'],
  [17, 'Old Public Limited Company'],
  [18, 'Private Limited by guarantee without Share Capital Exempt from using Limited'],
]);

export const ACTIVITIES = list([
  [100, 'Agriculture'],
  [101, 'Food'],
  [102, 'Beverages'],
  [104, 'Media'],
  [105, 'Tourism'],
  [106, 'Leisure & Entertainment'],
  [107, 'Business Services'],
  [108, 'Legal'],
  [109, 'Marketing, Sales & PR'],
  [111, 'Construction & Real Estate'],
  [112, 'Chemicals'],
  [113, 'Pharmaceutical & Medical'],
  [116, 'Education & Training'],
  [117, 'Energy & Utilities'],
  [118, 'Finance & Insurance'],
  [119, 'Government'],
  [121, 'Mining & Minerals'],
  [124, 'Paper, Wood & Furniture'],
  [125, 'Transport & Logistics'],
  [126, 'Oil & Gas'],
  [128, 'Textile'],
  [130, 'Retail'],
  [132, 'Nonprofit Organisations'],
  [133, 'Automotive'],
  [134, 'Consumer Goods & Services'],
  [136, 'Defence & Security'],
  [138, 'Information Technology'],
  [638, 'Human Resources'],
  [868, 'Metals'],
  [909, 'Consulting'],
  [927, 'Hire & Rental'],
  [1021, 'Manufacturing'],
  [1367, 'Wholesale'],
  [1493, 'Telecommunication'],
]);

const TOP_DEPARTMENTS = list([
  [823, 'Arts and Design'],
  [824, 'Construction and Real Estate'],
  [825, 'Consulting'],
  [826, 'Education'],
  [827, 'Engineering'],
  [828, 'Export and Import'],
  [829, 'Finance and Accounting'],
  [830, 'Government'],
  [831, 'Healthcare Professionals'],
  [832, 'Human Resources'],
  [833, 'Information Technology'],
  [834, 'Legal'],
  [835, 'Marketing'],
  [836, 'Media and Communication'],
  [837, 'Operations and Logistics'],
  [838, 'Product Management'],
  [839, 'Project Management'],
  [840, 'Purchasing and Procurement'],
  [841, 'Quality Assurance'],
  [842, 'Research and Development'],
  [843, 'Safety and Security'],
  [844, 'Sales and Business Development'],
  [845, 'Support and Assistant'],
  [855, 'Compliance'],
]);

const SUB_DEPARTMENTS = list([
  [863, 'Software Development'],
  [865, 'Software Testing'],
  [866, 'Systems Analyst'],
  [867, 'Network Engineer'],
  [868, 'Cyber Security'],
]);

export const DEPARTMENTS: Department[] = [
  ...TOP_DEPARTMENTS.map((entry) => ({ ...entry, parent_id: null })),
  ...SUB_DEPARTMENTS.map((entry) => ({ ...entry, parent_id: 833 })),
];

export const TENDER_STATUSES = list([
  [1, 'Accepting bids'],
  [2, 'Closed'],
  [3, 'Forecast'],
  [4, 'Not specified'],
  [5, 'Contract award'],
]);

export const TENDER_TYPES = list([
  [1, 'Tender'],
  [3, 'Grant'],
  [5, 'Loan'],
]);

export const TENDER_INDUSTRIES = list([
  [2, 'Beverages'],
  [3, 'Automotive'],
  [4, 'Business Services'],
  [5, 'Agriculture'],
  [6, 'Chemicals'],
  [7, 'Real Estate'],
  [8, 'Machinery & Equipment'],
  [9, 'Consulting'],
  [10, 'Defence & Security'],
  [11, 'Consumer Goods & Services'],
  [12, 'Education & Training'],
  [13, 'Information Technology'],
  [14, 'Food'],
  [15, 'Legal'],
  [16, 'Mining'],
  [17, 'Manufacturing'],
  [18, 'Metals'],
  [19, 'Oil & Gas'],
  [20, 'Paper, Wood & Furniture'],
  [21, 'Energy & Utilities'],
  [22, 'Pharmaceutical & Medical'],
  [23, 'Finance & Insurance'],
  [24, 'Telecommunication'],
  [25, 'Retail'],
  [26, 'Textile'],
  [27, 'Tourism'],
  [28, 'Transport & Logistics'],
  [29, 'Marketing. Media & PR'],
  [30, 'Construction & Engineering'],
  [31, 'Electronics & Electrical'],
  [33, 'Government'],
  [44, 'Accounting'],
]);
