// Without fonts and search of other servers, the page works offline.
export default { title: 'Market', root: 'src', globalStylesheets: [], search: false, pager: false, toc: false };
